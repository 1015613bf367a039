import { parseArgs } from 'node:util';

export interface DemoOptions {
  /** One JSON document on stdout, and nothing else there. */
  readonly json: boolean;
  /** Everything stays up after the checks, until Ctrl-C. */
  readonly keep: boolean;
}

export type OptionsReading =
  | { readonly kind: 'run'; readonly options: DemoOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'problem'; readonly problem: string };

export const usage = `Usage: npm run demo -- [--json] [--keep]

Runs a Temporal server, a service with flood control on this machine, and two workers; sends 60 replies through
floods, a lost answer and a killed worker; then checks what the service saw. Takes about a minute.

  --json  one JSON document on stdout, and nothing else there; progress goes to stderr
  --keep  leave everything running after the checks, until Ctrl-C

Exit code: 0 all checks hold, 1 some do not, 2 these options are wrong, 130 interrupted.
`;

export function readOptions(args: readonly string[]): OptionsReading {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        json: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    return { kind: 'run', options: { json: values.json, keep: values.keep } };
  } catch (error) {
    return { kind: 'problem', problem: error instanceof Error ? error.message : String(error) };
  }
}
