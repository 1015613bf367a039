import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { askYes } from '../../cli/ask-yes.ts';
import { UsageError, exitCode, exitCodeOf } from '../../cli/exit-code.ts';

/** A terminal, or a pipe in the place of either half of one. */
function terminal({ input = true, output = true } = {}) {
  const stream = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY });
  const [typed, screen] = [stream(input), stream(output)];
  let seen = '';
  screen.setEncoding('utf8').on('data', (text: string) => (seen += text));
  return { typed, input: typed, output: screen, seen: () => seen };
}

/** What `askYes` came to: null, or what it threw. */
const endOf = (asked: Promise<void>): Promise<unknown> =>
  asked.then(
    () => null,
    (error: unknown) => error,
  );

describe('a decision on many asks a person to type "yes"', () => {
  test.each(['yes\n', ' yes \n', 'yes\r', 'nox\u007f\u007f\u007fyes\r'])('who types %j', async (keys) => {
    const there = terminal();
    const end = endOf(askYes(there));
    there.typed.write(keys);
    expect(await end).toBeNull();
    expect(there.seen()).toContain('Type yes to go on: ');
  });

  test.each([
    ['y\n'],
    ['YES\n'],
    ['yes please\n'],
    ['no\n'],
    ['\n'],
    // Ctrl-C and Ctrl-D.
    ['\u0003'],
    ['\u0004'],
    ['ye\u0003'],
  ])('who types %j decides nothing, and is told so', async (keys) => {
    const there = terminal();
    const end = endOf(askYes(there));
    there.typed.write(keys);
    const error = await end;
    expect(error).toEqual(new UsageError('nothing was decided'));
    expect(exitCodeOf(error)).toBe(exitCode.badInput);
  });

  test('who hangs up decides nothing', async () => {
    for (const keys of ['', 'yes']) {
      const there = terminal();
      const end = endOf(askYes(there));
      there.typed.end(keys);
      // An answer that was not confirmed by a line end is none.
      expect(await end).toEqual(new UsageError('nothing was decided'));
    }
  });

  test.each([{ input: false }, { output: false }, { input: false, output: false }])(
    'and no pipe: %j',
    async (halves) => {
      const there = terminal(halves);
      there.typed.write('yes\n');
      expect(await endOf(askYes(there))).toEqual(
        new UsageError('nobody can be asked here: add --yes to decide them all'),
      );
      expect(there.seen()).toBe('');
    },
  );
});
