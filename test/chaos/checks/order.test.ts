import { describe, expect, it } from 'vitest';
import { inverted, skippedPredecessors } from './order.ts';
import { Sample } from './sample.ts';

describe('out of order', () => {
  const chain = () => new Sample().reply('k1', 'sent', { order: 1 }).reply('k2', 'sent', { order: 2 });

  it('finds nothing in a chain that was kept', () => {
    expect(inverted(chain().arrival('k1', 1).arrival('k2', 2).evidence)).toEqual([]);
  });

  it('finds a reply that arrived before the one it goes after', () => {
    expect(inverted(chain().arrival('k2', 1).arrival('k1', 2).evidence)).toEqual([
      { bot: 'a', key: 'k2', what: 'arrived in 1 1000 ms before k1' },
    ]);
  });

  it('finds one that went while its predecessor waited after a 429', () => {
    const run = chain().arrival('k1', 1, 'flood').arrival('k2', 2).arrival('k1', 3);
    expect(inverted(run.evidence)).toHaveLength(1);
  });

  it.each(['review', 'cancelled', 'expired', 'not_sent'] as const)(
    'lets a reply that is %s, and all around it, go in any order',
    (state) => {
      const run = new Sample().reply('k1', 'sent', { order: 1 }).reply('k2', state, { order: 2 });
      run.reply('k3', 'sent', { order: 3 }).arrival('k3', 1).arrival('k2', 2).arrival('k1', 3);
      expect(inverted(run.evidence)).toEqual([]);
    },
  );

  it('lets a reply go late that a person decided, or reset', () => {
    const decided = chain()
      .arrival('k2', 1)
      .arrival('k1', 2)
      .act('decide', 'k1', 1, 'decided', { decision: 'resend' });
    expect(inverted(decided.evidence)).toEqual([]);
    const reset = chain().arrival('k2', 1).arrival('k1', 2).act('reset', 'k1', 1, 'reset');
    expect(inverted(reset.evidence)).toEqual([]);
  });

  it('lets a reply go without a predecessor that was not heard of for 30 s, and no other', () => {
    const run = chain().reply('k3', 'sent', { order: 3 }).skip('k2');
    run.arrival('k2', 31).arrival('k3', 32).arrival('k1', 33);
    expect(inverted(run.evidence)).toEqual([]);
    expect(skippedPredecessors(run.evidence)).toEqual(['k2']);
    const after = chain().reply('k3', 'sent', { order: 3 }).skip('k2');
    after.arrival('k3', 31).arrival('k2', 32).arrival('k1', 33);
    expect(inverted(after.evidence).map(({ key }) => key)).toEqual(['k3']);
  });

  it('does not compare chats', () => {
    const run = new Sample().reply('k1', 'sent', { order: 1 }).reply('k2', 'sent', { order: 2, chat: '2' });
    run.arrival('k2', 1, 'stored', { chat: '2' }).arrival('k1', 2);
    expect(inverted(run.evidence)).toEqual([]);
  });
});
