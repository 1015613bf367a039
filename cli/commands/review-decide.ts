import { createInterface } from 'node:readline/promises';
import { ReplyRefusedError } from '../../client/errors.ts';
import type { DecisionName, DecisionRequest, ReplyClient, ReplyRecord } from '../../client/index.ts';
import { Pace, mapAsDone } from '../../client/concurrency.ts';
import { readReplyName } from '../../client/reply-name.ts';
import { type ExitCode, UsageError, exitCode } from '../exit-code.ts';
import { replyText, stateWords } from '../reply-text.ts';
import { type ReviewFilter, matchingReviews } from '../review-filter.ts';
import { type Cli, withReplies } from '../session.ts';

export interface DecideOptions extends ReviewFilter {
  readonly attempt?: number;
  readonly decision: DecisionName;
  readonly by: string;
  readonly reason: string;
  readonly messageId?: number;
  readonly allowExpired?: boolean;
  readonly all?: boolean;
  readonly yes?: boolean;
}

const decisionsAtOnce = 5;
const decisionsPerSecond = 10;
const sampleSize = 5;

export async function decide(cli: Cli, name: string | undefined, options: DecideOptions): Promise<ExitCode> {
  if (options.all === true) {
    if (name !== undefined || options.attempt !== undefined || options.messageId !== undefined) {
      throw new UsageError(
        '--all decides each reply by its own latest attempt: leave out the reply, --attempt and --message-id',
      );
    }
    return withReplies(cli, undefined, (replies) => decideAll(cli, replies, options));
  }
  if (name === undefined) throw new UsageError('give one reply (<bot>/<key>), or --all');
  const filters = [options.bot, options.kind, options.olderThan, options.yes];
  if (filters.some((filter) => filter !== undefined))
    throw new UsageError('--bot, --kind, --older-than and --yes go with --all');
  if (options.attempt === undefined) {
    throw new UsageError(`--attempt missing: the number that "replylane review show ${name}" tells`);
  }
  const named = readReplyName(name);
  const request = requestOf(options, options.attempt);
  return withReplies(cli, undefined, async (replies) => {
    if (options.decision === 'resend') cli.output.note('a resend may send it a second time');
    const result = await replies.decide(named, request);
    if (result.kind === 'requested') {
      cli.output.note(
        'no worker has answered: the decision is saved, and counts once one is up, if the review is still on',
      );
    }
    cli.output.answer(result.reply, () => replyText(result.reply));
    return exitCode.done;
  });
}

/** Decides what the filters match now: none that comes later, each with an entry of its own. */
async function decideAll(cli: Cli, replies: ReplyClient, options: DecideOptions): Promise<ExitCode> {
  const reviews = await matchingReviews(replies, options);
  if (reviews.length === 0) {
    cli.output.note('nothing under review matches: nothing was decided');
    return exitCode.done;
  }
  await confirm(cli, reviews, options);
  const counts = { decided: 0, skipped: 0, failed: 0 };
  const pace = new Pace(decisionsPerSecond);
  const results = mapAsDone(reviews, decisionsAtOnce, async (reply) => {
    await pace.turn();
    return decideListed(replies, reply, options);
  });
  for await (const { reply, kind, why } of results) {
    counts[kind]++;
    if (why !== undefined) cli.output.note(`${reply.id}: ${kind}: ${why}`);
    if (kind === 'decided') cli.output.answer(reply, () => `${reply.id}  ${stateWords(reply)}`);
  }
  cli.output.note(`${counts.decided} decided, ${counts.skipped} skipped, ${counts.failed} failed`);
  if (counts.failed > 0) return exitCode.failed;
  return counts.skipped > 0 ? exitCode.refused : exitCode.done;
}

interface Decided {
  readonly reply: ReplyRecord;
  readonly kind: 'decided' | 'skipped' | 'failed';
  readonly why?: string;
}

async function decideListed(
  replies: ReplyClient,
  reply: ReplyRecord,
  options: DecideOptions,
): Promise<Decided> {
  try {
    const attempt = reply.review?.attempt ?? reply.attempts.length;
    const result = await replies.decide(reply, requestOf(options, attempt));
    const saved = result.kind === 'requested' ? { why: 'saved; counts once a worker is up' } : {};
    return { reply: result.reply, kind: 'decided', ...saved };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { reply, kind: error instanceof ReplyRefusedError ? 'skipped' : 'failed', why };
  }
}

async function confirm(cli: Cli, reviews: readonly ReplyRecord[], options: DecideOptions): Promise<void> {
  const warning = options.decision === 'resend' ? ' Each may be sent a second time.' : '';
  cli.output.note(`${reviews.length} replies will be decided "${options.decision}".${warning} Among them:`);
  for (const reply of reviews.slice(0, sampleSize)) cli.output.note(`  ${reply.id}  ${stateWords(reply)}`);
  if (options.yes === true) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError('nobody can be asked here: add --yes to decide them all');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question('Type yes to go on: ');
  lines.close();
  if (answer.trim() !== 'yes') throw new UsageError('nothing was decided');
}

function requestOf(options: DecideOptions, attempt: number): DecisionRequest {
  const { decision, by, reason, messageId, allowExpired } = options;
  return {
    attempt,
    decision,
    by,
    reason,
    ...(messageId === undefined ? {} : { messageId }),
    ...(allowExpired === undefined ? {} : { allowExpired }),
  };
}
