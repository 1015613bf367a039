import { afterEach, describe, expect, it, vi } from 'vitest';
import { Output } from '../../cli/output.ts';

afterEach(() => vi.restoreAllMocks());

describe('what stands in a key cannot steer a terminal', () => {
  it.each(['\u001b[31mred', 'a\u009bb', 'turn\u202eed', 'bell\u0007', 'back\rover', 'line\u2028end'])(
    '%j',
    (key) => {
      const written: string[] = [];
      for (const stream of [process.stdout, process.stderr]) {
        vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0);
      }
      const output = new Output(() => false);
      output.answer(null, () => `bot/${key}  sent`);
      output.note(key);
      vi.restoreAllMocks();
      expect(written.join('').replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028]/u);
      expect(written).toHaveLength(2);
    },
  );

  it('lines and columns stay', () => {
    const write = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    new Output(() => false).answer(null, () => 'a\tb\nc');
    expect(write).toHaveBeenCalledWith('a\tb\nc\n');
  });
});
