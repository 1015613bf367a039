import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { endWithThisProcess } from '../temporal/watchdog.ts';
import { lastLines } from '../temporal/command.ts';

const upWithinMs = 60_000;
const stopWithinMs = 5000;

export interface ForeignProcess {
  readonly stop: () => Promise<void>;
}

/** Starts a server in a process of its own and resolves once it answers at `url`. It does not outlive this process. */
export async function startForeignProcess(
  name: string,
  command: readonly [string, ...string[]],
  options: { readonly url: string; readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<ForeignProcess> {
  const [file, ...args] = command;
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-8192)));
  const ended = endOf(child);
  if (child.pid !== undefined) {
    const watchdog = endWithThisProcess(child.pid);
    void ended.then(() => watchdog.release());
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const killLater = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
    await ended;
    clearTimeout(killLater);
  };
  let how: string | undefined;
  void ended.then((words) => (how = words));
  for (const startedMs = performance.now(); !(await answers(options.url)); await pause(100)) {
    if (how !== undefined) throw new Error(`${name} ended (${how}):\n${lastLines(output, 12)}`);
    if (performance.now() - startedMs < upWithinMs) continue;
    await stop();
    throw new Error(`${name} did not answer within ${upWithinMs / 1000} s:\n${lastLines(output, 12)}`);
  }
  return { stop };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return signal ?? `exit code ${code}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
