import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReplyRecord } from '../../domain/record.ts';
import { step } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';

const secretText = 'The code of your safe is 4711-XYZ';
const keys = ['sent', 'flood', 'rejected', 'echoed', 'held', 'unknown', 'page'];

let rig: Rig;
let token: string;
/** Everything that the drill has left behind, by place, payloads decoded. */
const left = new Map<string, string>();

beforeAll(async () => {
  rig = await Rig.start({ bots: { support: { settings: { httpTimeoutMs: 1000, heldPauseMs: 1000 } } } });
  token = Object.values(rig.env()).find((value) => value.includes('TEST-TOKEN')) ?? '';
  await drill();
  await gather();
});
afterAll(() => rig?.close());

describe('invariant 8: after a drill through every outcome', () => {
  it('the drill had a token and a text to hide, and something was left behind', () => {
    expect(token).not.toBe('');
    expect([...left.keys()]).toEqual(
      expect.arrayContaining(['worker output', 'lane history', 'history of sent']),
    );
    expect(left.get('history of sent')).toContain(secretText);
  });

  it('the token stands nowhere', () => {
    for (const [place, text] of left) expect(text.includes(token), place).toBe(false);
  });

  it('the text stands in the history of its own reply only', () => {
    for (const [place, text] of left) {
      if (!place.startsWith('history of ')) expect(text.includes(secretText), place).toBe(false);
    }
  });

  it('in that history, the text stands in inputs only', () => {
    for (const key of keys) expect(left.get(`outputs of ${key}`), key).not.toContain(secretText);
  });
});

async function drill(): Promise<void> {
  const scripts = {
    flood: step.flood(1),
    rejected: step.forbidden(),
    echoed: step.badRequest(`Bad Request: cannot send "${secretText}" with ${token}`),
    held: step.tooManyRequests(null),
    unknown: step.silence({ store: true }),
    page: step.htmlPage({ store: false }),
  };
  for (const [index, key] of keys.entries()) {
    const script = scripts[key as keyof typeof scripts];
    if (script) rig.fake.script('support', { chat: index + 1, times: 1 }, script);
    await rig.start(textReply('support', key, index + 1, { text: secretText }));
    await rig.until('support', key, isSettled);
  }
  rig.fake.refuse();
  await rig.start(textReply('support', 'refused', 99, { text: secretText }));
  await rig.until('support', 'refused', ({ attempts }) => attempts.length > 0);
  await rig.fake.accept();
}

function isSettled({ state }: ReplyRecord): boolean {
  return state === 'sent' || state === 'rejected' || state === 'review';
}

async function gather(): Promise<void> {
  left.set('worker output', rig.workers.map((worker) => worker.output()).join('\n'));
  const lane = rig.client.workflow.getHandle('cooldown:support');
  left.set('lane history', decoded(await lane.fetchHistory()));
  left.set('lane view', JSON.stringify(await rig.lane('support')));
  for (const key of keys) {
    const handle = rig.handle('support', key);
    const history = await handle.fetchHistory();
    left.set(`history of ${key}`, decoded(history));
    const outputs = (history.events ?? []).filter(
      (event) =>
        !event.workflowExecutionStartedEventAttributes && !event.activityTaskScheduledEventAttributes,
    );
    left.set(`outputs of ${key}`, decoded(outputs));
    const { memo, searchAttributes, staticSummary, staticDetails } =
      (await handle.describe()) as unknown as Record<string, unknown>;
    left.set(
      `description of ${key}`,
      JSON.stringify({ memo, searchAttributes, staticSummary, staticDetails }),
    );
  }
}

/** A history as text, each payload as the text that it is: its JSON form holds it in base 64. */
function decoded(value: unknown): string {
  return JSON.stringify(value, (name, field: unknown) =>
    name === 'data' && typeof field === 'string' ? Buffer.from(field, 'base64').toString('utf8') : field,
  ).replaceAll('\\"', '"');
}
