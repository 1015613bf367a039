import { describe, expect, test } from 'vitest';
import { RareNotes } from '../../activities/rare-notes.ts';

function underTest() {
  const clock = { nowMs: 0 };
  const told: string[] = [];
  const notes = new RareNotes({ note: (text) => void told.push(text), monotonicMs: () => clock.nowMs });
  return { clock, told, notes };
}

describe('what may come with every request', () => {
  test('is told at once, and then once a minute, with the number of those like it', () => {
    const { clock, told, notes } = underTest();
    for (; clock.nowMs < 130_000; clock.nowMs += 1000) notes.tell('down', `down at ${clock.nowMs}`);
    expect(told).toEqual([
      'down at 0',
      'down at 60000 (and 59 more like it since the last)',
      'down at 120000 (and 59 more like it since the last)',
    ]);
  });

  test('another matter is told beside it', () => {
    const { told, notes } = underTest();
    for (const subject of ['a', 'b', 'a', 'b']) notes.tell(subject, subject);
    expect(told).toEqual(['a', 'b']);
  });

  test('is remembered for so many matters, and no more', () => {
    const { told, notes } = underTest();
    notes.tell('first', 'first');
    for (let i = 0; i < 1000; i++) notes.tell(`matter ${i}`, 'x');
    notes.tell('first', 'first again');
    expect(told.at(-1)).toBe('first again');
    notes.tell('matter 999', 'known');
    expect(told.at(-1)).toBe('first again');
  });
});
