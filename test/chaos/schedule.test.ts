import { describe, expect, it } from 'vitest';
import { Chance } from './chance.ts';
import { faultDeck } from './draw-fault.ts';
import { drawSchedule } from './schedule.ts';

const hourMs = 3_600_000;

describe('chance', () => {
  it('gives the same draws for the same seed, and others for another', () => {
    const draws = (seed: number) =>
      Array.from(
        { length: 5 },
        (
          (chance) => () =>
            chance.next()
        )(new Chance(seed)),
      );
    expect(draws(1)).toEqual(draws(1));
    expect(draws(1)).not.toEqual(draws(2));
  });

  it('draws evenly, and keeps its bounds', () => {
    const chance = new Chance(7);
    const counts = [0, 0, 0];
    for (let i = 0; i < 3000; i++) counts[chance.whole(0, 2)]! += 1;
    for (const count of counts) expect(count).toBeGreaterThan(900);
  });
});

describe('the schedule of a run', () => {
  it('is drawn from the seed and the length alone', () => {
    expect(drawSchedule(3, 60_000)).toEqual(drawSchedule(3, 60_000));
    expect(drawSchedule(3, 60_000)).not.toEqual(drawSchedule(4, 60_000));
  });

  it('has more than 200 faults an hour, 50 of which wait for a request in flight, and all kinds of them', () => {
    const { faults } = drawSchedule(1, hourMs);
    expect(faults.length).toBeGreaterThan(400);
    expect(faults.filter(({ whenInFlight }) => whenInFlight).length).toBeGreaterThan(150);
    expect([...new Set(faults.map(({ fault }) => fault.kind))].sort()).toEqual(Object.keys(faultDeck).sort());
  });

  it('has about four replies a second over twenty chats', () => {
    const { replies } = drawSchedule(1, hourMs);
    expect(replies.length / 3600).toBeGreaterThan(3.5);
    expect(replies.length / 3600).toBeLessThan(4.5);
    expect(new Set(replies.map(({ bot, chat }) => `${bot} ${chat}`)).size).toBe(20);
    expect(new Set(replies.map(({ key }) => key)).size).toBe(replies.length);
  });

  it('chains the replies of a chat one after the other', () => {
    const { replies } = drawSchedule(1, hourMs);
    const chained = replies.filter(
      ({ chain, chat, bot }) => chain !== null && chat === 1001 && bot === 'alpha',
    );
    expect(chained.length).toBeGreaterThan(100);
    for (const [i, { chain }] of chained.entries()) {
      expect(chain).toEqual({ order: i + 1, after: chained[i - 1]?.key ?? null });
    }
  });
});
