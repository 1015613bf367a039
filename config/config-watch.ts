import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { type Config, loadConfig } from './load.ts';

export interface ConfigWatchOptions {
  /** The configuration in force, by whose path its file is found. */
  readonly inForce: () => Config;
  /** Puts another one in force, or throws: then the old one stays. */
  readonly take: (next: Config) => void | Promise<void>;
  readonly log: (line: string, level?: 'info' | 'error') => void;
  readonly everyMs?: number;
}

const lookEveryMs = 5000;

/** Looks at the file of the configuration every 5 s until it is stopped. A change that cannot be used is told once. */
export function watchConfig(options: ConfigWatchOptions): { stop(): void } {
  const { inForce, take, log, everyMs = lookEveryMs } = options;
  let seen: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async (): Promise<void> => {
    const now = contents(inForce().path);
    if (now !== seen) {
      seen = now;
      try {
        const next = loadConfig(inForce().path);
        if (!isDeepStrictEqual(next, inForce())) {
          await take(next);
          log(`configuration: ${next.path} has changed and is in force now`);
          for (const warning of next.warnings) log(`warning: ${warning}`);
        }
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        log(`configuration: the change is refused, what was in force stays: ${why}`, 'error');
      }
    }
    if (!isStopped) timer = later();
  };
  const later = (): NodeJS.Timeout => setTimeout(() => void look(), everyMs).unref();
  timer = later();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** What to know a change by, a file that cannot be read included. */
function contents(path: string): string {
  try {
    return `text ${readFileSync(path, 'utf8')}`;
  } catch (error) {
    return `error ${(error as NodeJS.ErrnoException).code}`;
  }
}
