import { describe, expect, it } from 'vitest';
import { FloodControl, type PenaltyRule, type Ruling } from './flood-control.ts';

function secondsLeft(ruling: Ruling, atMs: number): number {
  return ruling.kind === 'pass' ? 0 : (ruling.endsAtMs - atMs) / 1000;
}

describe('a window', () => {
  it.each([
    ['bot', ['1', '2', '3']],
    ['chat', ['1', '1', '1']],
    ['group', ['-1', '-1', '-1']],
    ['group', ['@a', '@a', '@a']],
  ] as const)('of scope %s has room for its limit and no more: %j', (scope, chats) => {
    const control = new FloodControl({ [scope]: [{ limit: 2, perMs: 1000 }] }, {});
    expect(chats.map((chat, i) => control.judge(i * 100, chat).kind)).toEqual(['pass', 'pass', 'flood']);
  });

  it.each([
    ['chat', '-1'],
    ['group', '1'],
  ] as const)('of scope %s does not count chat %s', (scope, chat) => {
    const control = new FloodControl({ [scope]: [{ limit: 1, perMs: 1000 }] }, {});
    expect([control.judge(0, chat).kind, control.judge(1, chat).kind]).toEqual(['pass', 'pass']);
  });

  it('of one chat does not count another', () => {
    const control = new FloodControl({ chat: [{ limit: 1, perMs: 1000 }] }, {});
    expect([control.judge(0, '1').kind, control.judge(1, '2').kind]).toEqual(['pass', 'pass']);
  });

  it('has room again exactly perMs after the oldest, which is what the penalty says', () => {
    const control = new FloodControl({ bot: [{ limit: 1, perMs: 1000 }] }, {});
    control.judge(0, '1');
    expect(control.judge(400, '1')).toEqual({ kind: 'flood', chat: null, endsAtMs: 1000 });
    expect(control.judge(999, '1').kind).toBe('flood');
    expect(control.judge(1000, '1').kind).toBe('pass');
  });

  it('of several that are full is waited for as long as the slowest takes', () => {
    const windows = {
      group: [
        { limit: 1, perMs: 1000 },
        { limit: 2, perMs: 60_000 },
      ],
    };
    const control = new FloodControl(windows, {});
    control.judge(0, '-1');
    control.judge(2000, '-1');
    expect(control.judge(2500, '-1')).toMatchObject({ endsAtMs: 60_000 });
  });
});

describe('a penalty', () => {
  function afterFlood(penalty: PenaltyRule): FloodControl {
    const control = new FloodControl({}, penalty);
    control.penalize(null, 10_000);
    return control;
  }

  it('that is fixed keeps its end, however often it is called into', () => {
    const control = afterFlood({ early: { kind: 'fixed' } });
    expect([0, 1000, 9000].map((atMs) => secondsLeft(control.judge(atMs, '1'), atMs))).toEqual([10, 9, 1]);
    expect(control.judge(10_000, '1').kind).toBe('pass');
  });

  it('that doubles the rest does so at every early call', () => {
    const control = afterFlood({ early: { kind: 'double_rest' } });
    expect(secondsLeft(control.judge(4000, '1'), 4000)).toBe(12);
    expect(secondsLeft(control.judge(6000, '1'), 6000)).toBe(20);
    expect(control.endsAtMs(null)).toBe(26_000);
  });

  it('that adds seconds does so at every early call', () => {
    const control = afterFlood({ early: { kind: 'add_seconds', seconds: 5 } });
    control.judge(9000, '1');
    control.judge(9000, '2');
    expect(control.endsAtMs(null)).toBe(20_000);
    expect(control.judge(20_000, '1').kind).toBe('pass');
  });

  it('only moves later', () => {
    const control = afterFlood({});
    expect(control.penalize(null, 3000)).toBe(10_000);
    expect(control.endsAtMs(null)).toBe(10_000);
  });

  it('of an exceeded window holds for the whole bot, or for its own chat only', () => {
    const windows = { chat: [{ limit: 1, perMs: 1000 }] };
    const ofBot = new FloodControl(windows, {});
    const ofWindow = new FloodControl(windows, { scope: 'window' });
    for (const control of [ofBot, ofWindow]) {
      control.judge(0, '1');
      control.judge(1, '1');
    }
    expect(ofBot.judge(2, '2').kind).toBe('flood');
    expect(ofWindow.judge(2, '2').kind).toBe('pass');
    expect(ofWindow.judge(3, '1')).toMatchObject({ kind: 'flood', chat: '1' });
  });

  it('lasts at least as long as its rule says', () => {
    const control = new FloodControl({ bot: [{ limit: 1, perMs: 1000 }] }, { atLeastMs: 35_000 });
    control.judge(0, '1');
    expect(control.judge(10, '1')).toMatchObject({ endsAtMs: 35_010 });
  });

  it('takes no slot of a window', () => {
    const control = new FloodControl({ bot: [{ limit: 2, perMs: 100_000 }] }, {});
    control.penalize(null, 1000);
    for (let i = 0; i < 5; i += 1) control.judge(i, '1');
    expect(control.judge(1000, '1').kind).toBe('pass');
  });
});
