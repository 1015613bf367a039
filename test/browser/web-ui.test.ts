import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DecisionRequest } from '../../client/index.ts';
import { viewLinks } from '../../client/view-links.ts';
import { step } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { picture, startBrowser } from './browser.ts';

let rig: Rig;
let browser: Browser;
beforeAll(async () => {
  rig = await Rig.start({ bots: { support: {} } });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await rig?.close();
});

async function doubtful(key: string, chat: number): Promise<void> {
  rig.fake.script('support', { chat }, step.resetAfterBody({ store: true }));
  await rig.start(textReply('support', key, chat, { text: 'words of the reply' }));
  await rig.until('support', key, ({ state }) => state === 'review', 60_000);
}

/** The list that `replylane links` names first. */
async function openList(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1100, height: 740 } });
  page.setDefaultTimeout(60_000);
  const [view] = viewLinks(rig.server.webUi, 'default', Date.now());
  expect(view?.name).toBe('Under review now');
  await page.goto(view?.url ?? '');
  return page;
}

async function openReply(page: Page, key: string): Promise<void> {
  await page
    .getByRole('link', { name: `reply:support:${key}` })
    .first()
    .click();
  await page.getByRole('button', { name: 'More Actions' }).waitFor();
}

async function openDialog(page: Page, action: string): Promise<Locator> {
  await page.getByRole('button', { name: 'More Actions' }).click();
  await page.getByRole('menuitem', { name: action }).click();
  const dialog = page.locator('dialog[open]');
  await dialog.getByRole('heading', { name: action }).waitFor();
  return dialog;
}

/** The editor lays the JSON out in lines as it is left, and the button moves: so it is left first. */
async function submit(dialog: Locator, decision: DecisionRequest, name: string): Promise<void> {
  const data = dialog.locator('[role=textbox][contenteditable=true]');
  await data.fill(JSON.stringify(decision));
  await data.blur();
  await data.locator('.cm-line').nth(5).waitFor();
  await picture(dialog, name);
  await dialog.getByRole('button', { name: 'Submit' }).click();
  await dialog.waitFor({ state: 'hidden' });
}

/** The Web UI shows by itself how a workflow came out, once it has. */
async function untilResult(page: Page, state: 'sent' | 'not_sent'): Promise<void> {
  await page.getByRole('tab', { name: 'History' }).click();
  await page
    .locator('.cm-line')
    .filter({ hasText: `"state": "${state}"` })
    .first()
    .waitFor();
}

describe('an operator at the Web UI', () => {
  test('finds an unknown reply by the link, reads why, and decides it by the Update', async () => {
    await doubtful('ui-1', 91);
    const page = await openList();
    await page.getByRole('link', { name: 'reply:support:ui-1' }).first().waitFor();
    await picture(page, 'web-ui-list');
    await openReply(page, 'ui-1');
    // What docs/operating.md warns of: the first view has the text.
    await page.getByText('words of the reply').first().waitFor();

    await page.getByRole('tab', { name: 'User Metadata' }).click();
    const details = page.frameLocator('iframe');
    await details.getByText('no answer: ECONNRESET').waitFor();
    await details.getByText('"attempt":1').waitFor();
    await picture(page.locator('iframe'), 'web-ui-details');

    const dialog = await openDialog(page, 'Send an Update');
    await dialog.getByRole('button', { name: 'Select an Update' }).click();
    await dialog.getByRole('option', { name: /^decideReply/ }).click();
    await submit(
      dialog,
      { attempt: 1, decision: 'sent', by: 'ana', reason: 'it is in the chat' },
      'web-ui-update',
    );
    await untilResult(page, 'sent');
    expect(await rig.result('support', 'ui-1')).toMatchObject({
      state: 'sent',
      decision: { by: 'ana', reason: 'it is in the chat', door: 'update' },
    });
    await page.close();
  });

  test('decides one by the Signal while no worker runs, and a worker that comes up applies it', async () => {
    await doubtful('ui-2', 92);
    await rig.killWorkers();
    const page = await openList();
    await openReply(page, 'ui-2');
    // Nobody can be asked for the current details; the memo has what was saved.
    await page.getByRole('tab', { name: 'Memo' }).click();
    await page.getByText('no answer: ECONNRESET').first().waitFor();

    const dialog = await openDialog(page, 'Send a Signal');
    // Nobody tells the names either: it is typed.
    await dialog.getByRole('textbox', { name: 'Signal name' }).fill('decide');
    await submit(
      dialog,
      { attempt: 1, decision: 'not_sent', by: 'ana', reason: 'it is not there' },
      'web-ui-signal',
    );
    const handle = rig.handle('support', 'ui-2');
    expect((await handle.describe()).status.name).toBe('RUNNING');

    await rig.addWorker();
    await untilResult(page, 'not_sent');
    expect(await rig.result('support', 'ui-2')).toMatchObject({
      state: 'not_sent',
      decision: { by: 'ana', reason: 'it is not there', door: 'signal' },
    });
    await page.close();
  });
});
