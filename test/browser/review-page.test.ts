import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReplyClient } from '../../client/index.ts';
import { type ServeProcess, startServe } from '../cli/serve-process.ts';
import { step } from '../support/fake-service/index.ts';
import { Rig } from '../support/rig/rig.ts';
import { picture, startBrowser } from './browser.ts';

const password = 'the-password-of-ana';
let rig: Rig;
let replies: ReplyClient;
let server: ServeProcess;
let browser: Browser;
beforeAll(async () => {
  rig = await Rig.start({ bots: { support: {}, quiet: {} } });
  replies = new ReplyClient(rig.client, { contracts: { support: 'telegram', quiet: 'telegram' } });
  await replies.lane('quiet').pause({ by: 'bob', reason: 'moving house' });
  server = await startServe({ ...rig.env(), REPLYLANE_REVIEWERS: `ana:${password}` }, ['--review-decide']);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  server?.child.kill('SIGKILL');
  await rig?.close();
});

async function openPage(query = ''): Promise<Page> {
  const context = await browser.newContext({
    httpCredentials: { username: 'ana', password },
    viewport: { width: 900, height: 900 },
    // The page's own policy forbids scripts; the checker is brought in past it.
    bypassCSP: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${server.url}/review${query}`);
  return page;
}

async function doubtful(key: string, chat: number): Promise<void> {
  rig.fake.script('support', { chat }, step.resetAfterBody({ store: true }));
  const handle = await replies.send({ bot: 'support', chat, text: 'words of the reply' }, { key });
  expect(await handle.result({ timeoutMs: 60_000 })).toMatchObject({ state: 'review' });
}

/** What a checker of accessibility objects to, at any level. */
async function objections(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ path: createRequire(import.meta.url).resolve('axe-core/axe.min.js') });
  const results = await page.evaluate<AxeResults>('axe.run()');
  expect(results.passes.length).toBeGreaterThan(5);
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    if (await page.locator(selector).evaluate((element) => element === element.ownerDocument.activeElement))
      return;
  }
  throw new Error(`${selector} was not reached by Tab`);
}

describe('the review page in a browser', () => {
  test('an operator decides a reply by keyboard alone', async () => {
    await doubtful('keys-1', 81);
    const page = await openPage();
    await picture(page, 'review-list');
    await tabTo(page, 'a[href="?reply=support%2Fkeys-1"]');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'support/keys-1' }).waitFor();
    await picture(page, 'review-reply');
    expect(await page.locator('body').innerText()).not.toContain('words of the reply');
    await tabTo(page, '#decision-sent');
    await page.keyboard.press('Space');
    await tabTo(page, '#reason');
    await page.keyboard.type('it is in the chat');
    await tabTo(page, 'form[method=post] button');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Decided.' }).waitFor();
    expect(await rig.result('support', 'keys-1')).toMatchObject({
      state: 'sent',
      decision: { by: 'ana', reason: 'it is in the chat', via: 'review page' },
    });
    await page.context().close();
  });

  test('a form that was refused is announced and keeps what was typed', async () => {
    await doubtful('keys-2', 82);
    const page = await openPage('?reply=support%2Fkeys-2');
    await page.getByRole('radio', { name: /^not_sent/ }).check();
    await page.getByRole('textbox', { name: 'Message id' }).fill('17');
    await page.getByRole('textbox', { name: /^Why/ }).fill('looked twice');
    await page.getByRole('button', { name: 'Decide' }).click();
    await page.getByRole('alert').filter({ hasText: 'Nothing was decided' }).waitFor();
    expect(await page.getByRole('textbox', { name: /^Why/ }).inputValue()).toBe('looked twice');
    expect(await objections(page)).toEqual([]);
    expect(await rig.record('support', 'keys-2')).toMatchObject({ state: 'review' });
    await page.context().close();
  });

  test('no view has what a checker of accessibility objects to', async () => {
    await doubtful('keys-3', 83);
    for (const query of ['', '?reply=support%2Fkeys-3', '?view=lanes', '?reply=support%2Fnone']) {
      const page = await openPage(query);
      expect([query, await objections(page)]).toEqual([query, []]);
      if (query === '?view=lanes') {
        expect(await page.getByRole('row', { name: /^quiet paused by bob: moving house/ }).count()).toBe(1);
        await picture(page, 'review-lanes');
      }
      await page.context().close();
    }
  });

  test('another site cannot decide with the browser of somebody who is logged in', async () => {
    await doubtful('keys-4', 84);
    const page = await openPage('?reply=support%2Fkeys-4');
    const token = await page.locator('input[name=token]').inputValue();
    // Not the same site to a browser, though it is the same machine.
    const evil = 'http://localhost:1/evil';
    const action = `${server.url}/review?reply=support%2Fkeys-4`;
    const fields = Object.entries({ token, attempt: '1', decision: 'sent', reason: 'stolen' })
      .map(([name, value]) => `<input name="${name}" value="${value}">`)
      .join('');
    await page.route(evil, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${action}">${fields}<button>win</button></form>`,
      }),
    );
    await page.goto(evil);
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      page.getByRole('button', { name: 'win' }).click(),
    ]);
    expect(answer.status()).toBe(403);
    expect(await rig.record('support', 'keys-4')).toMatchObject({ state: 'review' });
    await page.context().close();
  });
});
