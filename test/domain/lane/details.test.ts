import { describe, expect, test } from 'vitest';
import { laneDetails, laneDetailsKey } from '../../../domain/lane/details.ts';
import { LaneUnderTest } from './lane-under-test.ts';

describe('the details of a lane, for the Web UI', () => {
  const shown = (lane: LaneUnderTest) => laneDetails(lane.lane, lane.nowMs);

  test('open', () => expect(shown(new LaneUnderTest())).toMatch(/^Open\./));

  test('closed, with the reason, until it is open again', () => {
    const lane = new LaneUnderTest().extends(60);
    expect(shown(lane)).toMatch(/^\*\*Closed until 20.*: extended\./);
    expect(shown(lane.after(60_000))).toMatch(/^Open\./);
  });

  test('paused and stopped, with the command that opens it', () => {
    const lane = new LaneUnderTest().controls('pause');
    lane.lane.stopped = { why: 'the service refused the bot', atMs: lane.nowMs };
    expect(shown(lane)).toMatch(
      /^\*\*Stopped\*\* .*the service refused the bot\. `replylane lane resume support --by NAME --reason WHY` opens it\./,
    );
    expect(shown(lane)).toMatch(/\*\*Paused\*\* since/);
  });

  test('are written again only when they differ', () => {
    const lane = new LaneUnderTest();
    const key = () => laneDetailsKey(lane.lane, lane.nowMs);
    const open = key();
    expect(lane.after(5).asksOne('a').kind).toBe('go');
    expect(key()).toBe(open);
    lane.extends(60);
    const closed = key();
    expect(closed).not.toBe(open);
    lane.after(60_000);
    expect(key()).toBe(open);
    lane.controls('pause');
    expect(key()).not.toBe(open);
  });
});
