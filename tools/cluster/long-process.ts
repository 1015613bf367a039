import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:net';
import { endWithThisProcess } from '../temporal/watchdog.ts';
import type { RunAs } from './unprivileged.ts';

export interface LongProcessOptions extends RunAs {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** A process that runs until it is ended; it does not outlive this one. */
export interface LongProcess {
  readonly pid: number;
  /** What it has written so far, its latest part. */
  readonly output: () => string;
  readonly hasEnded: () => boolean;
  /** Sends a signal, and resolves with how it ended. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

export async function startProcess(
  file: string,
  args: readonly string[],
  { env, cwd, uid, gid }: LongProcessOptions,
): Promise<LongProcess> {
  const child = spawn(file, args, {
    env,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  });
  await once(child, 'spawn');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-200_000)));
  const pid = child.pid ?? 0;
  const watchdog = endWithThisProcess(pid);
  const ended = once(child, 'close').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
    watchdog.release();
  });
  return {
    pid,
    output: () => output,
    hasEnded: () => hasEnded,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

const askEveryMs = 200;

/** Waits until a condition holds; throws the process's own words where it ends or takes too long. */
export async function untilReady(
  process: LongProcess,
  isReady: () => Promise<boolean>,
  withinMs: number,
): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!(await isReady())) {
    if (process.hasEnded())
      throw new Error(`it ended before it was ready:\n${process.output().slice(-4000)}`);
    if (performance.now() > endMs)
      throw new Error(`not ready within ${withinMs} ms:\n${process.output().slice(-4000)}`);
    await sleep(askEveryMs);
  }
}

/** What `nc -z` asks: whether a port of this machine takes connections. */
export function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (is: boolean) => () => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', answer(true)).once('error', answer(false));
  });
}
