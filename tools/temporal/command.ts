import { spawn } from 'node:child_process';

export interface CommandResult {
  /** Null when the command could not be started or was ended by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  /** The last lines of stderr, or why the command could not be started. */
  readonly tail: string;
  readonly timedOut: boolean;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
  /** Asked every half second; true ends the command as timed out. */
  readonly isStalled?: () => boolean;
}

/**
 * Runs a command to its end and gathers what it printed. It never throws: every caller has a next choice.
 * A timed-out command is ended with all it started, so it runs in a process group of its own.
 */
export function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    });
    let stdout = '';
    let stderr = '';
    let timedOut = false;
    const end = () => killGroup(child.pid);
    const endAsTimedOut = () => {
      timedOut = true;
      end();
    };
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(endAsTimedOut, options.timeoutMs);
    const stall = setInterval(() => options.isStalled?.() && endAsTimedOut(), 500);
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    const passOn = (signal: NodeJS.Signals) => {
      end();
      settle({ code: null, stdout, tail: `ended by ${signal}`, timedOut });
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    };
    const settle = (result: CommandResult) => {
      clearTimeout(timer);
      clearInterval(stall);
      process.off('exit', end);
      for (const signal of signals) process.off(signal, passOn);
      resolve(result);
    };
    process.on('exit', end);
    for (const signal of signals) process.on(signal, passOn);
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-16_384)));
    child.on('error', (error) => settle({ code: null, stdout, tail: error.message, timedOut }));
    child.on('close', (code) => settle({ code, stdout, tail: lastLines(stderr, 12), timedOut }));
  });
}

export function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
