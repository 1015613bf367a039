import { Command, CommanderError } from 'commander';
import { addCancel } from './commands/cancel.ts';
import { addCodecServer } from './commands/codec-server.ts';
import { addConfig } from './commands/config-check.ts';
import { addDev } from './commands/dev.ts';
import { addLane } from './commands/lane.ts';
import { addLinks } from './commands/links.ts';
import { addReview } from './commands/review.ts';
import { addSend } from './commands/send.ts';
import { addServe } from './commands/serve.ts';
import { addStatus } from './commands/status.ts';
import { addWatch } from './commands/watch.ts';
import { addWorker } from './commands/worker.ts';
import { exitCode, exitCodeOf } from './exit-code.ts';
import { refuseRepeatedOptions } from './repeated-options.ts';
import { Output } from './output.ts';
import type { Cli } from './session.ts';

const exitCodesHelp = `
Exit codes: 0 done, 1 failed, 2 bad input, 3 not found, 4 refused (the key has other content, or the state has changed),
5 Temporal unreachable, 6 done but somebody must look (under review).
Temporal is found by TEMPORAL_ADDRESS (127.0.0.1:7233 if unset), the configuration by REPLYLANE_CONFIG
(replylane.config.json in this folder if unset).`;

const program = new Command('replylane')
  .description('Sends chat-bot replies on Temporal: each delivered once, or a truthful account of why not.')
  .option('--json', 'answer in JSON on stdout: one document, or one line for each item of a list')
  .showHelpAfterError('(add --help for what it takes)')
  .addHelpText('after', exitCodesHelp)
  .exitOverride();

const output = new Output(() => program.opts<{ json?: boolean }>().json === true);
const cli: Cli = { output, env: process.env };
const end = (code: number): void => {
  process.exitCode = code;
};
for (const add of [
  addDev,
  addWorker,
  addServe,
  addSend,
  addStatus,
  addCancel,
  addReview,
  addLane,
  addWatch,
  addLinks,
  addConfig,
  addCodecServer,
])
  add(program, cli, end);
refuseRepeatedOptions(program);

// A reader that has seen enough (head, less) is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(process.exitCode ?? exitCode.done);
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
  // Commander has told its own errors already.
  if (!(error instanceof CommanderError)) tell(error);
}

function tell(error: unknown): void {
  output.note(error instanceof Error ? error.message : String(error));
  if (process.exitCode === exitCode.failed && process.env['REPLYLANE_DEBUG'] && error instanceof Error) {
    process.stderr.write(`${error.stack}\n`);
  }
}
