import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type Locator, type Page, chromium } from 'playwright-core';

/** Debian's Chromium, without what needs a screen. It speaks to loopback only. */
export function startBrowser(): Promise<Browser> {
  const executablePath = process.env['REPLYLANE_CHROMIUM'];
  if (!executablePath) throw new Error('no Chromium was named: run these tests by npm run test:browser');
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}

/** A picture for the docs, where they were asked for. */
export async function picture(of: Page | Locator, name: string): Promise<void> {
  const folder = process.env['REPLYLANE_SCREENSHOTS'];
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await of.screenshot({ path: join(folder, `${name}.png`) });
}
