import { describe, expect, it } from 'vitest';
import { gambled, lost, twice, wronglyCertain } from './end-state.ts';
import { Sample } from './sample.ts';

const whats = (findings: readonly { readonly what: string }[]): string[] => findings.map(({ what }) => what);

describe('lost', () => {
  it('finds nothing in replies that ended, or wait for a person', () => {
    const run = new Sample()
      .reply('sent', 'sent')
      .arrival('sent', 1)
      .reply('review', 'review')
      .reply('cancelled', 'cancelled');
    expect(lost(run.evidence)).toEqual([]);
  });

  it('finds a reply without a state', () => {
    expect(whats(lost(new Sample().reply('k', null).evidence))).toEqual([
      expect.stringContaining('ReplyNotFoundError'),
    ]);
  });

  it.each(['waiting', 'sending'] as const)('finds a reply that is %s when all is over', (state) => {
    expect(lost(new Sample().reply('k', state).evidence)).toHaveLength(1);
  });

  it('finds "sent" with nothing stored', () => {
    expect(lost(new Sample().reply('k', 'sent').evidence)).toHaveLength(1);
  });

  it('believes a person whose decision counted, whatever the answer was', () => {
    const run = new Sample().reply('k', 'sent', { decidedBy: 'ana' });
    run.act('decide', 'k', 3, 'ReplyRefusedError', { by: 'ana', decision: 'sent' });
    expect(lost(run.evidence)).toEqual([]);
    const other = new Sample().reply('k', 'sent', { decidedBy: 'bob' });
    other.act('decide', 'k', 3, 'ReplyRefusedError', { by: 'ana', decision: 'sent' });
    expect(lost(other.evidence)).toHaveLength(1);
  });

  it('believes a person who says it was sent', () => {
    const run = new Sample().reply('k', 'sent', { decidedBy: 'ana' });
    run.act('decide', 'k', 3, 'decided', { by: 'ana', decision: 'sent' });
    expect(lost(run.evidence)).toEqual([]);
  });
});

describe('twice', () => {
  it('finds nothing in a reply that was stored once', () => {
    expect(twice(new Sample().reply('k', 'sent').arrival('k', 1).evidence)).toEqual([]);
  });

  it('finds a message that was stored twice', () => {
    const run = new Sample().reply('k', 'sent').arrival('k', 1).arrival('k', 3);
    expect(twice(run.evidence)).toHaveLength(1);
  });

  it("allows one more for each of people's resends, but for refused ones", () => {
    const run = new Sample().reply('k', 'sent').arrival('k', 1).arrival('k', 3);
    run.act('decide', 'k', 2, 'ReplyRefusedError', { decision: 'resend' });
    expect(twice(run.evidence)).toHaveLength(1);
    run.act('decide', 'k', 2, 'decided', { decision: 'resend' });
    expect(twice(run.evidence)).toEqual([]);
    run.arrival('k', 5);
    expect(twice(run.evidence)).toHaveLength(1);
  });
});

describe('gambled', () => {
  it('allows a repetition after a 429', () => {
    const run = new Sample().reply('k', 'sent').arrival('k', 1, 'flood').arrival('k', 3);
    expect(gambled(run.evidence)).toEqual([]);
  });

  it('finds a repetition of what nobody answered, stored or not', () => {
    const run = new Sample().reply('k', 'sent').arrival('k', 1, 'none').arrival('k', 3);
    expect(gambled(run.evidence)).toHaveLength(1);
  });

  it('allows what a person asked for', () => {
    const run = new Sample().reply('k', 'sent').arrival('k', 1, 'none').arrival('k', 3);
    run.act('decide', 'k', 2, 'decided', { decision: 'resend' });
    expect(gambled(run.evidence)).toEqual([]);
  });
});

describe('wrongly certain', () => {
  it.each(['not_sent', 'rejected', 'cancelled', 'expired'] as const)(
    'finds "%s" of a stored message',
    (state) => {
      expect(whats(wronglyCertain(new Sample().reply('k', state).arrival('k', 1).evidence))).toEqual([
        `is ${state}, but it was stored`,
      ]);
      expect(wronglyCertain(new Sample().reply('k', state).arrival('k', 1, 'refused').evidence)).toEqual([]);
    },
  );

  it('finds "sent" with nothing stored', () => {
    expect(wronglyCertain(new Sample().reply('k', 'sent').evidence)).toHaveLength(1);
  });

  it('believes a person, even a wrong one, but not for what was stored afterwards', () => {
    const run = new Sample().reply('k', 'not_sent', { decidedBy: 'ana' }).arrival('k', 1);
    run.act('decide', 'k', 3, 'decided', { by: 'ana', decision: 'not_sent' });
    expect(wronglyCertain(run.evidence)).toEqual([]);
    run.arrival('k', 4);
    expect(wronglyCertain(run.evidence)).toHaveLength(1);
  });

  it('does not take a cancellation for a decision under review', () => {
    const run = new Sample().reply('k', 'cancelled', { decidedBy: 'bob' }).arrival('k', 1);
    run.act('cancel', 'k', 3, 'cancelled', { by: 'bob' });
    expect(wronglyCertain(run.evidence)).toHaveLength(1);
  });

  it('finds a request after the answer "cancelled", stored or not', () => {
    const run = new Sample().reply('k', 'cancelled').act('cancel', 'k', 1, 'cancelled');
    expect(wronglyCertain(run.evidence)).toEqual([]);
    run.arrival('k', 2, 'none');
    expect(whats(wronglyCertain(run.evidence))).toEqual([expect.stringContaining('1000 ms later')]);
  });

  it('allows a request before that answer', () => {
    const run = new Sample()
      .reply('k', 'cancelled')
      .arrival('k', 1, 'flood')
      .act('cancel', 'k', 2, 'cancelled');
    expect(wronglyCertain(run.evidence)).toEqual([]);
  });
});
