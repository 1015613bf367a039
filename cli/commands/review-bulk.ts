import type { BulkDecision, BulkDecisionView, ReplyClient, ReplyRecord } from '../../client/index.ts';
import { askYes } from '../ask-yes.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { shown, stateWords } from '../reply-text.ts';
import { filterOf } from '../review-filter.ts';
import { type Cli, configForShow, withReplies } from '../session.ts';
import type { DecideOptions } from './review-decide.ts';

const nothingMatches = 'nothing under review matches: nothing was decided';
const sampleSize = 5;
const progressEveryMs = { terminal: 500, file: 5000 } as const;

/** Decides what the filters match now: none that comes later. The work is a workflow's: this process only watches it. */
export async function decideAll(cli: Cli, replies: ReplyClient, options: DecideOptions): Promise<ExitCode> {
  const reviews = await replies.reviews(filterOf(options));
  if (reviews.length === 0) {
    cli.output.note(nothingMatches);
    return exitCode.done;
  }
  await confirm(cli, reviews, options);
  const { decision, by, reason, allowExpired } = options;
  const bulk = await replies.decideAll(reviews, {
    decision,
    by,
    reason,
    via: 'cli',
    ...(allowExpired === undefined ? {} : { allowExpired }),
  });
  if (!bulk) {
    cli.output.note(nothingMatches);
    return exitCode.done;
  }
  return watch(cli, bulk, `started: it goes on if this command is ended. ${howTo(bulk)}`);
}

/** `review bulk`: shows one that was started before, or asks it to end, and watches it to its end. */
export async function bulk(
  cli: Cli,
  ids: readonly string[],
  options: { readonly cancel?: boolean },
): Promise<ExitCode> {
  return withReplies(cli, configForShow(cli), async (replies) => {
    const found = replies.bulkDecision(...ids);
    if (options.cancel === true) {
      await found.view();
      await found.cancel();
    }
    return watch(cli, found);
  });
}

async function watch(cli: Cli, bulkDecision: BulkDecision, begin?: string): Promise<ExitCode> {
  const leave = (): void => {
    cli.output.note(`left running. ${howTo(bulkDecision)}`);
    process.exit(exitCode.failed);
  };
  process.once('SIGINT', leave);
  // Not before: whoever reads this may press Ctrl-C at once.
  if (begin !== undefined) cli.output.note(begin);
  try {
    const view = await bulkDecision.result({ onView: progress(cli) });
    for (const { reply, kind, why } of view.notDone)
      cli.output.note(`${shown(reply)}: ${kind}: ${shown(why)}`);
    cli.output.answer({ ids: bulkDecision.ids, ...view }, () => countsText(view));
    return codeOf(view);
  } finally {
    process.off('SIGINT', leave);
  }
}

function codeOf({ state, skipped, failed }: BulkDecisionView): ExitCode {
  if (failed > 0 || state === 'cancelled') return exitCode.failed;
  return skipped > 0 ? exitCode.refused : exitCode.done;
}

function countsText({ state, total, done, skipped, failed }: BulkDecisionView): string {
  const left = total - done - skipped - failed;
  const end = state === 'cancelled' ? `, ${left} not touched: it was cancelled` : '';
  return `${done} decided, ${skipped} skipped, ${failed} failed${end}`;
}

function howTo({ ids }: BulkDecision): string {
  const names = ids.join(' ');
  return `Watch it with "replylane review bulk ${names}"; end it with the same and --cancel`;
}

/** Tells on stderr how far it is, while it is not done. */
function progress(cli: Cli): (view: BulkDecisionView | null) => void {
  const everyMs = process.stderr.isTTY ? progressEveryMs.terminal : progressEveryMs.file;
  let toldMs = performance.now();
  return (view) => {
    if (view?.state !== undefined && view.state !== 'running') return;
    if (performance.now() - toldMs < everyMs) return;
    toldMs = performance.now();
    cli.output.note(
      view === null
        ? 'no worker answers: it goes on once one is up'
        : `${view.done + view.skipped + view.failed} of ${view.total}: ${countsText(view)}`,
    );
  };
}

async function confirm(cli: Cli, reviews: readonly ReplyRecord[], options: DecideOptions): Promise<void> {
  const warning = options.decision === 'resend' ? ' Each may be sent a second time.' : '';
  cli.output.note(`${reviews.length} replies will be decided "${options.decision}".${warning} Among them:`);
  for (const reply of reviews.slice(0, sampleSize)) cli.output.note(`  ${reply.id}  ${stateWords(reply)}`);
  if (options.yes !== true) await askYes({ input: process.stdin, output: process.stderr });
}
