import type { Observe } from '../../activities/observe.ts';
import type { LogForm } from '../settings.ts';

export type LogLevel = 'info' | 'warn' | 'error';

/** Where a worker process says what it does. */
export interface WorkerLog {
  /** A sentence, or a line that is a JSON document already, such as a decision. Neither holds a secret or a content. */
  line(text: string, level?: LogLevel): void;
  /** A change of state that this process has seen. */
  readonly observe: Observe;
  /** Returns when all of it is written. */
  flush(): void;
}

/** Opens the log on stderr. What the other form needs is not loaded. */
export async function openLog(form: LogForm): Promise<WorkerLog> {
  if (form === 'text') return textLog();
  const { jsonLog } = await import('./json-log.ts');
  return jsonLog();
}

/** Sentences only: what happens to single replies is not told. */
function textLog(): WorkerLog {
  return {
    line: (text) => void process.stderr.write(`${text}\n`),
    observe: () => {},
    flush: () => {},
  };
}
