import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Arrival } from '../support/fake-service/index.ts';
import { duplicates, step, windowViolations } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';
import { controlUpdate, wakeSignal } from '../../workflows/protocol.ts';

const group = [
  { limit: 1, perMs: 1000 },
  { limit: 3, perMs: 6000 },
];
let rig: Rig;

beforeAll(async () => {
  rig = await Rig.start({
    bots: { refuser: {}, mover: { settings: { limits: { group } } }, locked: {}, other: {}, digits: {} },
  });
});

afterAll(async () => {
  await rig.close();
  expect(rig.fake.problems).toEqual([]);
  expect(duplicates(rig.fake.stored())).toEqual([]);
});

function arrivalsOf(key: string): readonly Arrival[] {
  return rig.fake.arrivals.filter(({ text }) => text === key);
}

describe('refused for good', () => {
  it('R1: 403, blocked by the user: rejected for permission after one call', async () => {
    rig.fake.script('refuser', { chat: 1, times: 'always' }, step.forbidden());
    await rig.start(textReply('refuser', 'blocked', 1));
    expect(await rig.result('refuser', 'blocked')).toMatchObject({
      state: 'rejected',
      rejection: { kind: 'permission', code: 403, description: 'Forbidden: bot was blocked by the user' },
      attempts: [{ attempt: 1, outcome: 'rejected', httpStatus: 403, progress: 'answered' }],
    });
    expect(arrivalsOf('blocked')).toHaveLength(1);
  });

  it('R3: a 403 page of a proxy says nothing of the chat: not "blocked", but unknown', async () => {
    rig.fake.script('refuser', { chat: 2 }, step.htmlPage({ status: 403, store: false }));
    await rig.start(textReply('refuser', 'proxied', 2));
    const record = await rig.until('refuser', 'proxied', ({ state }) => state === 'review');
    expect(record).toMatchObject({ rejection: null, review: { kind: 'unknown', attempt: 1 } });
    expect(record.review?.evidence).toMatch(/HTTP 403, text\/html/);
    expect(arrivalsOf('proxied')).toHaveLength(1);
  });

  it('R5: 400, can’t parse entities: rejected, and the same bytes are not repeated', async () => {
    rig.fake.script('refuser', { chat: 3, times: 'always' }, step.badRequest());
    await rig.start(textReply('refuser', 'unparsable', 3));
    expect(await rig.result('refuser', 'unparsable')).toMatchObject({
      state: 'rejected',
      rejection: { kind: 'request', code: 400 },
      attempts: [{ attempt: 1 }],
    });
    expect(arrivalsOf('unparsable')).toHaveLength(1);
  });

  it('R6: 5,000 characters and no characters end rejected with a clear problem and without a request', async () => {
    await rig.start(textReply('refuser', 'too-long', 4, { text: 'x'.repeat(5000) }));
    await rig.start(textReply('refuser', 'empty', 5, { text: '' }));
    const tooLong = await rig.result('refuser', 'too-long');
    expect(tooLong).toMatchObject({
      state: 'rejected',
      rejection: { kind: 'request', code: null },
      attempts: [],
    });
    expect(tooLong.rejection?.description).toMatch(/text.*5000 characters.*4096/);
    const empty = await rig.result('refuser', 'empty');
    expect(empty).toMatchObject({
      state: 'rejected',
      rejection: { kind: 'request', code: null },
      attempts: [],
    });
    expect(empty.rejection?.description).toMatch(/text.*empty/);
    expect(rig.fake.arrivals.filter(({ chat }) => chat === '4' || chat === '5')).toEqual([]);
  });

  it('R6: 4,096 emoji are taken', async () => {
    await rig.start(textReply('refuser', 'emoji', 6, { text: '🦔'.repeat(4096) }));
    expect(await rig.result('refuser', 'emoji')).toMatchObject({ state: 'sent' });
  });
});

describe('R2: the group has another id now', () => {
  const oldId = -4100;
  const newId = '-1001234567890123';

  it('goes once to the new chat; waiting replies to the old id follow; the pacing of both is one', async () => {
    rig.fake.script('mover', { chat: oldId, times: 'always' }, step.migrate(newId));
    await rig.start(textReply('mover', 'old-1', oldId));
    await rig.start(textReply('mover', 'old-2', oldId, { after: 'old-1' }));
    await rig.start(textReply('mover', 'old-3', oldId, { after: 'old-2' }));
    await rig.fake.waitFor(() => arrivalsOf('old-1').length === 1);
    await rig.until('mover', 'old-1', ({ attempts }) => attempts.length >= 1);
    await rig.start(textReply('mover', 'new-4', newId));
    for (const key of ['old-1', 'old-2', 'old-3', 'new-4'])
      expect(await rig.result('mover', key)).toMatchObject({ state: 'sent' });
    expect((await rig.result('mover', 'old-1')).attempts).toMatchObject([
      { attempt: 1, outcome: 'migrated', httpStatus: 400 },
      { attempt: 2, outcome: 'sent' },
    ]);
    const arrivals = rig.fake.arrivals.filter(({ bot }) => bot === 'mover');
    expect(arrivals.filter(({ chat }) => chat === String(oldId)).map(({ text }) => text)).toEqual(['old-1']);
    const atNew = arrivals.filter(({ chat, text }) => chat === newId && text !== 'new-4');
    expect(atNew.map(({ text }) => text)).toEqual(['old-1', 'old-2', 'old-3']);
    const merged = arrivals.map((arrival) => ({ ...arrival, chat: newId }));
    expect(windowViolations(merged, { group })).toEqual([]);
  });

  it('two that point to each other: no loop, a person must look', async () => {
    rig.fake.script('mover', { chat: -4201, times: 'always' }, step.migrate('-4202'));
    rig.fake.script('mover', { chat: -4202, times: 'always' }, step.migrate('-4201'));
    await rig.start(textReply('mover', 'ring', -4201));
    const record = await rig.until('mover', 'ring', ({ state }) => state === 'review');
    expect(record).toMatchObject({ review: { kind: 'held', attempt: 2 } });
    expect(record.attempts).toMatchObject([{ outcome: 'migrated' }, { outcome: 'migrated' }]);
    expect(arrivalsOf('ring').map(({ chat }) => chat)).toEqual(['-4201', '-4202']);
  });
});

describe('R4: 401 on every call', () => {
  it('stops the lane after three; replies wait, other bots go on; after a resume all are sent', async () => {
    const script = rig.fake.script('locked', { times: 'always' }, step.unauthorized());
    const keys = ['locked-1', 'locked-2', 'locked-3', 'locked-4', 'locked-5'];
    for (const [i, key] of keys.entries()) await rig.start(textReply('locked', key, 31 + i));
    await waitUntil(async () => (await rig.lane('locked')).stopped !== null, {
      withinMs: 30_000,
      what: () => 'the lane to stop',
    });
    expect((await rig.lane('locked')).stopped?.why).toMatch(
      /refused the bot itself 3 times.*check its token/,
    );
    for (const key of keys) await rig.until('locked', key, ({ waiting }) => waiting?.why === 'lane_stopped');
    await rig.start(textReply('other', 'goes-on', 31));
    expect(await rig.result('other', 'goes-on')).toMatchObject({ state: 'sent' });
    expect(rig.fake.arrivals.filter(({ bot }) => bot === 'locked')).toHaveLength(3);

    script.withdraw();
    await rig.client.workflow
      .getHandle('cooldown:locked')
      .executeUpdate(controlUpdate, { args: [{ action: 'resume', by: 'ops', reason: 'new token' }] });
    for (const key of keys) await rig.handle('locked', key).signal(wakeSignal);
    for (const key of keys) expect(await rig.result('locked', key)).toMatchObject({ state: 'sent' });
    expect(rig.fake.arrivals.filter(({ bot }) => bot === 'locked')).toHaveLength(3 + keys.length);
    expect((await rig.lane('locked')).stopped).toBeNull();
  });
});

describe('R7: destinations', () => {
  const ids = [4_294_967_297, 2 ** 52, -(2 ** 52), '4294967299', '@Some_Channel'];

  it('reach the wire with exact digits', async () => {
    for (const [i, id] of ids.entries()) await rig.start(textReply('digits', `id-${i}`, id));
    for (const [i, id] of ids.entries()) {
      expect(await rig.result('digits', `id-${i}`)).toMatchObject({ state: 'sent' });
      const [arrival] = arrivalsOf(`id-${i}`);
      expect(arrival?.chat).toBe(String(id).toLowerCase());
      expect(arrival?.params?.['chat_id']).toBe(id);
    }
  });

  it('are paced each by itself: no id is cut to 32 bits, and two spellings of one id are one chat', async () => {
    // What shares a bucket is a second apart, always; what does not is less, unless the machine is too busy for that once.
    const ids = [77, 78, 79, 80, 81];
    const gapsMs = async (name: string, other: (id: number) => number | string): Promise<number[]> => {
      await Promise.all(
        ids.flatMap((id) => [
          rig.start(textReply('digits', `${name}-${id}`, id)),
          rig.start(textReply('digits', `${name}-other-${id}`, other(id))),
        ]),
      );
      const gaps: number[] = [];
      for (const id of ids) {
        for (const key of [`${name}-${id}`, `${name}-other-${id}`])
          expect(await rig.result('digits', key)).toMatchObject({ state: 'sent' });
        const [one] = arrivalsOf(`${name}-${id}`);
        const [two] = arrivalsOf(`${name}-other-${id}`);
        gaps.push(Math.abs((one?.atMs ?? 0) - (two?.atMs ?? 0)));
      }
      return gaps;
    };
    expect(Math.min(...(await gapsMs('cut', (id) => 4_294_967_296 + id)))).toBeLessThan(900);
    expect(Math.min(...(await gapsMs('spelled', (id) => String(id))))).toBeGreaterThanOrEqual(1000);
  });
});
