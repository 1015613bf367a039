import { destination, pino } from 'pino';
import type { Observation } from '../../activities/observe.ts';
import type { LogLevel, WorkerLog } from './worker-log.ts';

/** Takes whole lines. */
export interface LogSink {
  write(line: string): unknown;
  flushSync?(): void;
}

/** A reader that has stopped reading costs so much memory, and then lines; it must not stop the sending. */
const mostUnwrittenBytes = 16 * 1024 * 1024;

/**
 * One JSON document a line: `{"level","at","event",…}`. `event` is a change of state, or `log` with a sentence in `msg`.
 * Lines that are documents already (decisions, late proofs) pass as they are.
 */
export function jsonLog(sink: LogSink = stderrSink()): WorkerLog {
  const logger = pino(
    {
      // Whoever collects the lines knows the machine and the process.
      base: null,
      timestamp: () => `,"at":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => void sink.write(line) },
  );
  return {
    line(text, level) {
      if (isDocument(text)) sink.write(`${text}\n`);
      else logger[level ?? levelOfSentence(text)]({ event: 'log' }, text);
    },
    observe(seen) {
      const level = levelOf(seen);
      if (level !== null) logger[level](seen);
    },
    flush() {
      try {
        sink.flushSync?.();
      } catch {
        // Nobody reads any more: that is no failure of the worker.
      }
    },
  };
}

/** Writes beside the sending: a synchronous write to a full pipe would hold the whole process. */
function stderrSink(): LogSink {
  return destination({ fd: 2, sync: false, maxLength: mostUnwrittenBytes });
}

function levelOfSentence(text: string): LogLevel {
  return text.startsWith('warning: ') ? 'warn' : 'info';
}

/** Null for what is measured and not told: it changes no state. */
function levelOf(seen: Observation): LogLevel | null {
  switch (seen.event) {
    case 'claim':
    case 'reports_kept':
      return null;
    case 'attempt':
      return seen.outcome === 'unknown' || seen.outcome === 'held' ? 'warn' : 'info';
    case 'no_attempt':
    case 'lane_opened':
      return 'info';
    case 'lane_closed':
    case 'lane_stopped':
    case 'lane_paused':
      return 'warn';
  }
}

function isDocument(text: string): boolean {
  if (!text.startsWith('{"event":')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
