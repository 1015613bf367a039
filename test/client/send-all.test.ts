import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type KeyedReplyRequest,
  ReplyClient,
  type SendProgress,
  type SendReport,
} from '../../client/index.ts';
import { Rig } from '../support/rig/rig.ts';

let rig: Rig;
let replies: ReplyClient;
beforeAll(async () => {
  rig = await Rig.start({ bots: { support: {} }, workers: 0 });
  replies = new ReplyClient(rig.client, { contracts: { support: 'telegram' } });
});
afterAll(() => rig.close());

const request = (key: string, chat: number, text = key): KeyedReplyRequest => ({
  bot: 'support',
  key,
  chat,
  text,
});

async function reportsOf(source: AsyncIterable<SendReport>): Promise<Map<number, SendReport>> {
  const reports = new Map<number, SendReport>();
  for await (const report of source) reports.set(report.index, report);
  return reports;
}

describe('many sends', () => {
  test('each item has its own report, and a failing one stops no other', async () => {
    await replies.send({ bot: 'support', chat: 1, text: 'there' }, { key: 'there' });
    const progress: SendProgress[] = [];
    const items = [
      request('new', 2),
      request('there', 1),
      request('there', 1, 'other'),
      request('', 3, 'no key'),
      null as unknown as KeyedReplyRequest,
      request('last', 4),
    ];
    const reports = await reportsOf(replies.sendAll(items, { onProgress: (now) => progress.push(now) }));
    expect([...reports].sort(([a], [b]) => a - b).map(([, { kind }]) => kind)).toEqual([
      'accepted',
      'deduplicated',
      'conflict',
      'invalid',
      'failed',
      'accepted',
    ]);
    expect(reports.get(3)).toMatchObject({ problems: [{ field: 'key' }] });
    expect(progress.at(-1)).toEqual({
      accepted: 2,
      deduplicated: 1,
      conflict: 1,
      invalid: 1,
      failed: 1,
      done: 6,
    });
    expect(progress.map(({ done }) => done)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('a source is taken as it is worked on, and a chat keeps its order', async () => {
    let taken = 0;
    const source = async function* (): AsyncGenerator<KeyedReplyRequest> {
      for (; taken < 60; taken++) yield request(`many-${taken}`, 10 + (taken % 3));
    };
    let seen = 0;
    for await (const report of replies.sendAll(source(), { concurrency: 5 })) {
      expect(report.kind).toBe('accepted');
      seen++;
      expect(taken - seen).toBeLessThanOrEqual(5);
    }
    expect(seen).toBe(60);
    for (const at of [3, 30, 59]) {
      expect((await replies.input(`support/many-${at}`))?.after).toBe(`many-${at - 3}`);
    }
  });
});
