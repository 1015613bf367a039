import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where the Temporal servers are kept, outside the work tree so that a fresh clone finds them again. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env['REPLYLANE_CACHE']) return env['REPLYLANE_CACHE'];
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'replylane');
}
