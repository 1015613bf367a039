import { describe, expect, it } from 'vitest';
import { LaneWatch } from '../../activities/lane-watch.ts';
import { type Observation, harmless } from '../../activities/observe.ts';
import type { Verdict } from '../../domain/lane/messages.ts';

const go: Verdict = { kind: 'go', nowMs: 0, epoch: 'e' };
const wait = (
  why: 'lane_stopped' | 'lane_paused' | 'cooldown' | 'bot_pace',
  cooldownMs?: number,
): Verdict => ({
  kind: 'wait',
  nowMs: 0,
  untilMs: 1,
  why,
  epoch: 'e',
  ...(cooldownMs === undefined ? {} : { cooldownMs }),
});

function watched(work: (watch: LaneWatch) => void): readonly Observation[] {
  const seen: Observation[] = [];
  work(new LaneWatch({ bot: 'b', observe: (one) => void seen.push(one), log: () => {} }));
  return seen;
}

const closed = (reason: string, notBeforeMs: number | null) => ({
  event: 'lane_closed',
  bot: 'b',
  reason,
  notBefore: notBeforeMs === null ? null : new Date(notBeforeMs).toISOString(),
});

describe('the changes of a lane are told once each', () => {
  it('nothing is told of a lane that is open all the time', () => {
    const seen = watched((watch) => {
      watch.verdict(go, false);
      watch.verdict(wait('bot_pace'), false);
      watch.closing('sent', undefined);
      watch.closing('unknown', undefined);
    });
    expect(seen).toEqual([]);
  });

  it('a flood, what the lane says of the same one, and its end', () => {
    const seen = watched((watch) => {
      watch.closing('flood', 60_000);
      watch.closing('flood', 59_000);
      watch.verdict(wait('cooldown', 60_800), false);
      watch.verdict(go, false);
      watch.verdict(go, false);
    });
    expect(seen).toEqual([closed('flood', 60_000), { event: 'lane_opened', bot: 'b' }]);
  });

  it('a cooldown that moves later is told again, an earlier one not (invariant 3)', () => {
    const seen = watched((watch) => {
      watch.verdict(wait('cooldown', 60_000), false);
      watch.verdict(wait('cooldown', 10_000), false);
      watch.verdict(wait('cooldown', 90_000), false);
    });
    expect(seen).toEqual([closed('cooldown', 60_000), closed('cooldown', 90_000)]);
  });

  it('a go that was granted before the flood does not say that the lane is open', () => {
    const seen = watched((watch) => {
      watch.closing('flood', 60_000);
      watch.verdict(go, true);
    });
    expect(seen).toEqual([closed('flood', 60_000)]);
  });

  it('a lane that was opened early may close again until an instant before the old one', () => {
    const seen = watched((watch) => {
      watch.closing('flood', 3_600_000);
      watch.verdict(go, false);
      watch.closing('flood', 60_000);
    });
    expect(seen).toEqual([
      closed('flood', 3_600_000),
      { event: 'lane_opened', bot: 'b' },
      closed('flood', 60_000),
    ]);
  });

  it('a pause without a delay has no instant until the lane names one', () => {
    const seen = watched((watch) => {
      watch.closing('held', undefined);
      watch.closing('held', undefined);
      watch.verdict(wait('cooldown', 60_000), false);
    });
    expect(seen).toEqual([closed('held', null), closed('cooldown', 60_000)]);
  });

  it('a stop, a pause by an operator, and their end', () => {
    const seen = watched((watch) => {
      for (const why of ['lane_stopped', 'lane_stopped', 'lane_paused', 'lane_paused'] as const)
        watch.verdict(wait(why), false);
      watch.verdict(go, false);
    });
    expect(seen.map(({ event }) => event)).toEqual(['lane_stopped', 'lane_paused', 'lane_opened']);
  });
});

describe('who watches', () => {
  it('cannot break what is watched', () => {
    const observe = harmless(() => {
      throw new Error('broken');
    });
    expect(() => observe({ event: 'lane_opened', bot: 'b' })).not.toThrow();
    expect(() => harmless(undefined)({ event: 'lane_opened', bot: 'b' })).not.toThrow();
  });
});
