import { describe, expect, it } from 'vitest';
import { judgeDoubt, listingSeconds } from './doubt.ts';
import { Sample } from './sample.ts';

describe('recall', () => {
  it('is 1 without anything uncertain', () => {
    const run = new Sample().reply('k', 'sent', { attempts: [['sent', 2]] }).arrival('k', 1);
    expect(judgeDoubt(run.evidence)).toMatchObject({ uncertain: 0, recall: 1, missed: [] });
  });

  it('counts a stored message whose answer did not come, and is under review', () => {
    const run = new Sample().reply('k', 'review', { attempts: [['unknown', 6]] }).arrival('k', 1);
    expect(judgeDoubt(run.evidence)).toMatchObject({ uncertain: 1, recall: 1, missed: [] });
  });

  it.each([['stored'], ['none'], ['flood'], ['refused']] as const)(
    'misses an arrival that was %s, of which the reply knows nothing',
    (verdict) => {
      const run = new Sample().reply('k', 'expired').arrival('k', 1, verdict);
      run.reply('other', 'review', { attempts: [['unknown', 9]] }).arrival('other', 2);
      const doubt = judgeDoubt(run.evidence);
      expect(doubt).toMatchObject({ uncertain: 2, recall: 0.5 });
      expect(doubt.missed.map(({ key }) => key)).toEqual(['k']);
    },
  );

  it('matches answers by their kind: an answered 429 does not answer for a lost message', () => {
    const run = new Sample().reply('k', 'expired', { attempts: [['flood', 2]] });
    run.arrival('k', 1, 'flood').arrival('k', 4, 'none');
    expect(judgeDoubt(run.evidence)).toMatchObject({ uncertain: 1, recall: 0 });
  });

  it('counts what a person decided, but not what was lost after that', () => {
    const run = new Sample().reply('k', 'expired', { attempts: [['unknown', 2]], decidedBy: 'ana' });
    run.arrival('k', 1).act('decide', 'k', 3, 'decided', { by: 'ana', decision: 'resend' });
    expect(judgeDoubt(run.evidence)).toMatchObject({ uncertain: 1, recall: 1 });
    run.arrival('k', 5);
    expect(judgeDoubt(run.evidence)).toMatchObject({ uncertain: 2, recall: 0.5 });
  });

  it('counts a reset reply that is under review: its attempts are not in its history', () => {
    const run = new Sample().reply('k', 'review').arrival('k', 1).act('reset', 'k', 2, 'reset');
    expect(judgeDoubt(run.evidence)).toMatchObject({ uncertain: 1, recall: 1 });
  });
});

describe('precision', () => {
  it('tells what arrived, what left the worker, and what did not', () => {
    const run = new Sample();
    run.reply('arrived', 'review', { attempts: [['unknown', 9]] }).arrival('arrived', 1);
    run.reply('swallowed', 'review', { attempts: [['unknown', 9]] }).swallowed('swallowed', 1);
    run.reply('nothing', 'review', { attempts: [['unknown', 9]] });
    const doubt = judgeDoubt(run.evidence);
    expect(doubt).toMatchObject({ unknown: 3, arrived: 1, onTheWire: 1, nothingLeft: 1 });
    expect(doubt.precision).toBeCloseTo(2 / 3);
  });

  it('does not count an answered request for one that is unknown', () => {
    const run = new Sample().reply('k', 'review', {
      attempts: [
        ['flood', 2],
        ['unknown', 9],
      ],
    });
    expect(judgeDoubt(run.arrival('k', 1, 'flood').evidence)).toMatchObject({ unknown: 1, nothingLeft: 1 });
    expect(judgeDoubt(run.swallowed('k', 5).evidence)).toMatchObject({ onTheWire: 1, nothingLeft: 0 });
  });
});

describe('seconds to review', () => {
  it('are counted from the arrival that was lost, beyond the HTTP time-out', () => {
    const run = new Sample().reply('k', 'review', {
      attempts: [
        ['flood', 2],
        ['unknown', 12],
      ],
    });
    run.arrival('k', 1, 'flood').arrival('k', 5);
    expect(listingSeconds(run.evidence)).toEqual([2]);
  });

  it('are not counted of an arrival that an attempt before has answered for', () => {
    const run = new Sample().reply('k', 'review', {
      attempts: [
        ['flood', 2],
        ['unknown', 30],
      ],
    });
    expect(listingSeconds(run.arrival('k', 1, 'flood').evidence)).toEqual([]);
  });

  it('are counted from the reset that lost what was known', () => {
    const run = new Sample().reply('k', 'review', { attempts: [['unknown', 12]] });
    run.arrival('k', 1).act('reset', 'k', 11, 'reset').act('reset', 'k', 20, 'reset');
    expect(listingSeconds(run.evidence)).toEqual([-4]);
  });
});
