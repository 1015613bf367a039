import type { Command } from 'commander';
import { UsageError } from './exit-code.ts';

/**
 * An option with a value that is given twice is a mistake that nobody would notice: of `--chat 1 --chat 2` only the last
 * would count. Throws a `UsageError` that names it, while the command line is read.
 */
export function refuseRepeatedOptions(command: Command): void {
  for (const option of command.options) {
    if (option.isBoolean() || option.variadic) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) throw new UsageError(`--${option.name()} is given twice: keep one of them`);
      isGiven = true;
    });
  }
  for (const one of command.commands) refuseRepeatedOptions(one);
}
