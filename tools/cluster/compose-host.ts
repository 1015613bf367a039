import { runCommand } from '../temporal/command.ts';
import type { ComposeService } from './compose-file.ts';

export interface JobResult {
  readonly code: number | null;
  readonly output: string;
}

/**
 * Runs a one-shot service of the compose file on this machine: its very entrypoint and command, with its environment but
 * for the names of hosts and their ports. `bin` has the programs that its image has.
 */
export async function runJob(
  service: ComposeService,
  options: { readonly bin: string; readonly instead: Readonly<Record<string, string>> },
): Promise<JobResult> {
  const [file = '', ...args] = [...(service.entrypoint ?? []), ...(service.command ?? [])];
  const env = {
    PATH: `${options.bin}:/usr/bin:/bin`,
    HOME: '/nonexistent',
    ...replaced(service.environment ?? {}, options.instead),
  };
  const { code, stdout, tail } = await runCommand(file, args, { env, timeoutMs: 180_000 });
  return { code, output: `${stdout}${tail}` };
}

/** The service's environment with other values in some of its variables; a variable that it does not have is an error. */
export function replaced(
  environment: Readonly<Record<string, string>>,
  instead: Readonly<Record<string, string>>,
): Record<string, string> {
  const strange = Object.keys(instead).filter((name) => !(name in environment));
  if (strange.length > 0)
    throw new Error(`docker-compose.yml does not set ${strange.join(', ')}, so nothing can stand instead`);
  return { ...environment, ...instead };
}
