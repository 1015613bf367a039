import { describe, expect, it } from 'vitest';
import { BotRoom } from '../../activities/bot-room.ts';

function taken(take: () => boolean): number {
  let count = 0;
  while (count < 1000 && take()) count++;
  return count;
}

describe('the room of one bot in a worker process of 100 slots', () => {
  it('L13: at most 20 of its activities wait there, and bulk leaves room for replies', () => {
    const room = new BotRoom();
    expect(taken(() => room.hold('bulk'))).toBe(16);
    expect(taken(() => room.hold('reply'))).toBe(4);
    room.release();
    expect(room.hold('bulk')).toBe(false);
    expect(room.hold('reply')).toBe(true);
  });

  it('those that find no room come back one after the other, ten a second, within five minutes', () => {
    const room = new BotRoom();
    expect(Array.from({ length: 4 }, () => room.returnInMs(1000))).toEqual([2000, 2100, 2200, 2300]);
    // A second later the schedule still stands.
    expect(room.returnInMs(2000)).toBe(2000);
    const many = Array.from({ length: 20_000 }, () => room.returnInMs(2000));
    expect(Math.max(...many)).toBe(300_000);
    // And when they have all come, the next finds it empty.
    expect(room.returnInMs(1_000_000)).toBe(2000);
  });

  it('L13: at most 40 are inside at all, those that only ask among them', () => {
    const room = new BotRoom();
    expect(taken(() => room.enter())).toBe(40);
    room.leave();
    expect(taken(() => room.enter())).toBe(1);
  });
});
