import { runCommand } from '../temporal/command.ts';

/** Under whom a process runs; nothing where this process is no root and cannot choose. */
export interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
}

export const isRoot: boolean = process.getuid?.() === 0;

/** A user by number, as an image names it. */
export function runAsNumber(uid: number, gid: number): RunAs {
  return isRoot ? { uid, gid } : {};
}

/** A user of this machine by name: PostgreSQL refuses to run as root. */
export async function runAsUser(name: string): Promise<RunAs> {
  if (!isRoot) return {};
  const [uid, gid] = await Promise.all([idOf('-u', name), idOf('-g', name)]);
  return { uid, gid };
}

async function idOf(option: '-u' | '-g', name: string): Promise<number> {
  const { code, stdout, tail } = await runCommand('id', [option, name]);
  if (code !== 0) throw new Error(`this machine has no user ${name}: ${tail}`);
  return Number(stdout.trim());
}
