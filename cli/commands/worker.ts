import type { Command } from 'commander';
import { loadConfig } from '../../config/load.ts';
import { openLog } from '../../workers/log/worker-log.ts';
import { workerSettings } from '../../workers/settings.ts';
import { type ExitCode, exitCode, exitCodeOf } from '../exit-code.ts';
import type { Cli } from '../session.ts';
import { type WorkerFlags, addWorkerOptions, runWorker, stopSignal } from '../worker-run.ts';

export function addWorker(program: Command, cli: Cli, end: (code: ExitCode) => void): void {
  const command = program
    .command('worker')
    .description('a worker process, until it is stopped; finishes what it is sending');
  addWorkerOptions(command).action(async (flags: WorkerFlags) => end(await worker(cli, flags)));
}

async function worker({ env, output }: Cli, flags: WorkerFlags): Promise<ExitCode> {
  const settings = workerSettings(env, flags);
  const log = await openLog(settings.log);
  const isJson = settings.log === 'json';
  const note = (text: string): void => (isJson ? log.line(text) : output.note(text));
  try {
    const config = loadConfig(undefined, env);
    const shutdown = stopSignal();
    shutdown.addEventListener('abort', () => note('worker: finishing what is being sent'));
    const onReady = (): void => note('worker: ready');
    await runWorker({ config, env, settings, log, shutdown, onReady });
    note('worker: stopped');
    return exitCode.done;
  } catch (error) {
    if (!isJson) throw error;
    // Whoever collects the lines reads JSON only.
    log.line(`worker: ${error instanceof Error ? error.message : String(error)}`, 'error');
    return exitCodeOf(error);
  } finally {
    log.flush();
  }
}
