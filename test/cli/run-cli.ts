import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../../tools/temporal/package-root.ts';

export interface CliEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
}

/** Runs the compiled command line as a process of its own, to its end. */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliEnd> {
  const running = startCli(args, options);
  running.child.stdin?.end(options.stdin ?? '');
  return running.ended;
}

export interface RunningCli {
  readonly child: ChildProcess;
  readonly ended: Promise<CliEnd>;
  /** What stands on stdout so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** Starts it; the test must end it. */
export function startCli(args: readonly string[], { env, cwd }: CliOptions): RunningCli {
  const main = join(packageRoot(), 'dist', 'cli', 'main.js');
  const child = spawn(process.execPath, ['--enable-source-maps', main, ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code, signal]) => {
    if (code === null) throw new Error(`the command line was ended by ${String(signal)}: ${stderr}`);
    return { code: code as number, stdout, stderr };
  });
  return { child, ended, stdout: () => stdout, stderr: () => stderr };
}

/** The documents on stdout, one a line. Fails where anything else stands there. */
export function documents(end: CliEnd): readonly Record<string, unknown>[] {
  return end.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
