import { describe, expect, it } from 'vitest';
import { type HistoryEvent, lostRunIn } from '../../activities/lost-run.ts';
import { newLane } from '../../domain/lane/state.ts';
import { revokeAttempt } from '../../domain/lane/revoke.ts';

const at = (seconds: number) => ({ eventTime: { seconds, nanos: 5_000_000 } });
const scheduled = (eventId: number, name: string, seconds: number) =>
  ({
    eventId,
    ...at(seconds),
    activityTaskScheduledEventAttributes: { activityType: { name } },
  }) as unknown as HistoryEvent;
const started = (eventId: number, seconds: number) =>
  ({
    eventId,
    ...at(seconds),
    activityTaskStartedEventAttributes: { identity: `worker-${eventId}` },
  }) as unknown as HistoryEvent;
const timedOut = (eventId: number, scheduledEventId: number, startedEventId: number) =>
  ({
    eventId,
    ...at(999),
    activityTaskTimedOutEventAttributes: { scheduledEventId, startedEventId },
  }) as unknown as HistoryEvent;

describe('the begin of a lost run, and whose it was', () => {
  it('is when a worker took it up, not when it was scheduled', () => {
    const events = [scheduled(5, 'sendMessage', 10), started(6, 130), timedOut(7, 5, 6)];
    expect(lostRunIn(events.toReversed())).toEqual({ beganAtMs: 130_005, worker: 'worker-6' });
  });

  it('is that of the run that was lost last', () => {
    const first = [scheduled(5, 'sendMessage', 10), started(6, 20), timedOut(7, 5, 6)];
    const second = [scheduled(11, 'sendMessage', 40), started(12, 55), timedOut(13, 11, 12)];
    const revoke = [scheduled(17, 'revokeAttempt', 70)];
    expect(lostRunIn([...first, ...second, ...revoke].toReversed())).toEqual({
      beganAtMs: 55_005,
      worker: 'worker-12',
    });
  });

  it('does not take another activity for it, nor guess from a part of the history', () => {
    const other = [scheduled(5, 'revokeAttempt', 10), started(6, 20), timedOut(7, 5, 6)];
    expect(lostRunIn(other.toReversed())).toBeUndefined();
    expect(lostRunIn([timedOut(7, 5, 6), started(6, 20)])).toBeUndefined();
  });

  it('lets a lane that has forgotten older claims say for sure that this run made none', () => {
    const lane = { ...newLane('b', 'epoch', 0), forgottenMs: 60_000 };
    const request = { reply: 'k', attempt: 1, scheduledAtMs: 10_000 };
    expect(revokeAttempt(lane, { ...request, reply: 'other' }, 141_000)).toEqual({ kind: 'lost' });
    expect(revokeAttempt(lane, { ...request, scheduledAtMs: 130_005 }, 141_000)).toEqual({ kind: 'never' });
  });
});
