import type { Command } from 'commander';
import { loadConfig } from '../../config/load.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import type { Cli } from '../session.ts';
import { runWorker, stopSignal } from '../worker-run.ts';

export function addWorker(program: Command, cli: Cli, end: (code: ExitCode) => void): void {
  program
    .command('worker')
    .description('a worker process, until it is stopped; finishes what it is sending')
    .action(async () => end(await worker(cli)));
}

async function worker({ env, output }: Cli): Promise<ExitCode> {
  const config = loadConfig(undefined, env);
  const shutdown = stopSignal();
  shutdown.addEventListener('abort', () => output.note('worker: finishing what is being sent'));
  await runWorker({ config, env, shutdown, onReady: () => output.note('worker: ready') });
  output.note('worker: stopped');
  return exitCode.done;
}
