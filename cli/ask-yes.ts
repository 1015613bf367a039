import { createInterface } from 'node:readline';
import { UsageError } from './exit-code.ts';

/** Where a person is asked, and answers. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Has a person type "yes". Throws a `UsageError` for any other answer, for none (Ctrl-C, Ctrl-D), and where there is no
 * terminal: a pipe that happens to say yes is nobody's decision.
 */
export async function askYes({ input, output }: Terminal): Promise<void> {
  if (input.isTTY !== true || output.isTTY !== true)
    throw new UsageError('nobody can be asked here: add --yes to decide them all');
  const lines = createInterface({ input, output });
  const answer = await new Promise<string | null>((resolve) => {
    lines.once('close', () => resolve(null));
    lines.question('Type yes to go on: ', resolve);
  });
  lines.close();
  // What is told next stands on a line of its own.
  if (answer === null) output.write('\n');
  if (answer?.trim() !== 'yes') throw new UsageError('nothing was decided');
}
