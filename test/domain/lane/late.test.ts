import { describe, expect, test } from 'vitest';
import { showLane } from '../../../domain/lane/show.ts';
import { freezeLane, thawLane } from '../../../domain/lane/snapshot.ts';
import { LaneUnderTest } from './lane-under-test.ts';

const shown = (lane: LaneUnderTest) => showLane(lane.lane, lane.nowMs).lateProofs;

function revoked(reply: string, lane = new LaneUnderTest()): LaneUnderTest {
  expect(lane.asksOne(reply).kind).toBe('go');
  lane.after(100);
  expect(lane.revokes(reply)).toEqual({ kind: 'yes', reported: null });
  return lane;
}

describe('a report that comes after its attempt was taken back', () => {
  test('is kept for people, once, under the number of the attempt', () => {
    const lane = revoked('a').after(5000);
    for (let i = 0; i < 3; i++) lane.reports('a', { outcome: 'sent', number: 4 });
    expect(shown(lane)).toEqual([
      { reply: 'a', attempt: 4, outcome: 'sent', at: new Date(lane.nowMs).toISOString() },
    ]);
  });

  test('changes nothing else: the revocation is answered as before', () => {
    const lane = revoked('a');
    lane.reports('a', { outcome: 'sent' });
    expect(lane.revokes('a')).toEqual({ kind: 'yes', reported: null });
    expect(lane.lane.sent).toBe(0);
  });

  test('is kept after continue-as-new too, where the nonce is forgotten', () => {
    const lane = revoked('a').cut();
    expect(shown(lane.reports('a', { outcome: 'unreached' }).cut())).toMatchObject([
      { reply: 'a', outcome: 'unreached' },
    ]);
  });

  test.each(['unknown', 'gone'] as const)('proves nothing where it is "%s"', (outcome) =>
    expect(shown(revoked('a').reports('a', { outcome }))).toEqual([]),
  );

  test('is not late where the claim was reported in time, or is still out', () => {
    const lane = new LaneUnderTest();
    lane.asksOne('b');
    // One of another run of the reply: its claim is not the one that is out.
    expect(shown(lane.reports('b', { outcome: 'sent', nonce: 'of-another' }))).toEqual([]);
    expect(shown(lane.reports('b', { outcome: 'sent' }).reports('b', { outcome: 'rejected' }))).toEqual([]);
  });

  test('is told of each attempt by itself, with a name of bounded length', () => {
    const name = 'r'.repeat(250);
    const lane = revoked(name);
    lane.reports(name, { outcome: 'unreached', number: 1 }).reports(name, { outcome: 'sent', number: 2 });
    expect(shown(lane).map(({ reply, attempt }) => [reply, attempt])).toEqual([
      ['r'.repeat(200), 1],
      ['r'.repeat(200), 2],
    ]);
  });

  test('is kept where the lane had forgotten the claim, and said so', () => {
    const lane = new LaneUnderTest();
    lane.lane.forgottenMs = lane.nowMs + 1;
    expect(lane.revokes('a')).toEqual({ kind: 'lost' });
    expect(shown(lane.reports('a', { outcome: 'sent' }))).toMatchObject([{ reply: 'a', outcome: 'sent' }]);
  });

  test('is not kept where there never was a claim: what comes then is of no attempt', () => {
    const lane = new LaneUnderTest();
    expect(lane.revokes('a')).toEqual({ kind: 'never' });
    expect(shown(lane.reports('a', { outcome: 'sent' }))).toEqual([]);
  });

  test('rule 19: twenty are kept, the latest', () => {
    const lane = new LaneUnderTest({ bot: [], chat: [], maxOutstanding: 1000 });
    for (let i = 0; i < 30; i++) revoked(`r${i}`, lane).reports(`r${i}`, { outcome: 'sent' });
    expect(shown(lane).map(({ reply }) => reply)).toEqual(Array.from({ length: 20 }, (_, i) => `r${i + 10}`));
  });

  test('a lane that was frozen before there were such lists is read', () => {
    const { lane, ...rest } = freezeLane(new LaneUnderTest().lane, Date.now());
    const { lateProofs: _, ...older } = lane;
    expect(thawLane({ ...rest, lane: older } as never).lateProofs).toEqual([]);
  });
});
