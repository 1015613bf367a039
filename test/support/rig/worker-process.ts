import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../../../tools/temporal/package-root.ts';

/** A real worker process of the compiled project, which a test may stop, freeze and kill. */
export interface WorkerProcess {
  readonly pid: number;
  /** What it has written so far. */
  readonly output: () => string;
  readonly exited: Promise<number | NodeJS.Signals>;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<void>;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

const readyWithinMs = 60_000;

/** A test run that breaks off leaves no worker behind, not even a frozen one. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts `dist/workers/main.js` and resolves when it takes work. */
export function startWorkerProcess(env: Readonly<Record<string, string>>): Promise<WorkerProcess> {
  return startNode('workers/main.js', env);
}

/** Starts a compiled file that says `worker: ready` when it takes work. */
export async function startNode(file: string, env: Readonly<Record<string, string>>): Promise<WorkerProcess> {
  const root = packageRoot();
  const child = spawn(process.execPath, ['--enable-source-maps', join(root, 'dist', file)], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString('utf8')));
  running.add(child);
  child.once('exit', () => running.delete(child));
  const exited = once(child, 'exit').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals);
  await ready(child, exited, () => output.join(''));
  return {
    pid: child.pid ?? 0,
    output: () => output.join(''),
    exited,
    async stop() {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

async function ready(child: ChildProcess, exited: Promise<unknown>, output: () => string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const seen = new Promise<void>((resolve) => {
    const look = (): void => {
      if (output().includes('worker: ready')) resolve();
    };
    child.stderr?.on('data', look);
    look();
  });
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the worker is not ready: ${output()}`)), readyWithinMs);
  });
  const ended = exited.then((how) => {
    throw new Error(`the worker ended (${String(how)}) before it was ready: ${output()}`);
  });
  try {
    await Promise.race([seen, late, ended]);
  } finally {
    clearTimeout(timer);
    child.on('error', () => {});
    ended.catch(() => {});
  }
}
