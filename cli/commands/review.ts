import { Option, type Command } from 'commander';
import type { DecisionName, LateProof, ReplyClient, ReplyRecord, ReviewKind } from '../../client/index.ts';
import { readReplyName } from '../../client/reply-name.ts';
import { contentHash, plainKey } from '../../domain/ids.ts';
import { ageWords, readDuration, readWhole } from '../duration.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { columns } from '../output.ts';
import { doubtWords, replyText } from '../reply-text.ts';
import { type FilterOptions, filterOf } from '../review-filter.ts';
import { type Cli, configForShow, contractsOf, withReplies } from '../session.ts';
import { bulk } from './review-bulk.ts';
import { type DecideOptions, decide } from './review-decide.ts';

const kinds: readonly ReviewKind[] = ['unknown', 'held', 'budget'];
const decisions: readonly DecisionName[] = ['sent', 'not_sent', 'resend', 'cancel'];

export function addReview(program: Command, cli: Cli, end: (code: ExitCode) => void): void {
  const review = program.command('review').description("replies that wait for a person's decision");
  withFilter(review.command('list').description('the oldest first; without destination and text'))
    .option('--fail-if-any', 'exit 6 if there is any')
    .action(async (options: FilterOptions & { readonly failIfAny?: boolean }) =>
      end(await list(cli, options)),
    );
  review
    .command('show')
    .description('what is known of one: its attempts, how far each request got, the evidence')
    .argument('<reply>', '<bot>/<key>')
    .option('--show-content', 'destination and text too')
    .action(async (reply: string, options: { readonly showContent?: boolean }) =>
      end(await show(cli, reply, options.showContent === true)),
    );
  withFilter(
    review
      .command('decide')
      .description('decide one, or with --all every one that the filters match')
      .argument('[reply]', '<bot>/<key>')
      .option('--attempt <number>', 'the attempt that is decided, as shown', readWhole(0))
      .addOption(new Option('--decision <decision>', 'what to do').choices(decisions).makeOptionMandatory())
      .requiredOption('--by <who>', 'who decides')
      .requiredOption('--reason <why>', 'why')
      .option('--message-id <id>', 'with sent: the id of the message, if known', readWhole(1))
      .option('--allow-expired', 'with resend: send it though it has expired')
      .option('--all', 'all that match now')
      .option('--yes', 'with --all: do not ask'),
  ).action(async (reply: string | undefined, options: DecideOptions) =>
    end(await decide(cli, reply, options)),
  );
  review
    .command('bulk')
    .description('how a decision on many (decide --all) stands: watches it to its end')
    .argument('<id...>', 'as "decide --all" has told')
    .option('--cancel', 'end it after the replies in hand; what was decided stays decided')
    .action(async (ids: string[], options: { readonly cancel?: boolean }) =>
      end(await bulk(cli, ids, options)),
    );
}

function withFilter(command: Command): Command {
  return command
    .option('--bot <bot>', 'only of this bot')
    .addOption(new Option('--kind <kind>', 'only of this kind of doubt').choices(kinds))
    .option('--older-than <time>', 'only those under review for longer, such as 1h', readDuration);
}

async function list(cli: Cli, options: FilterOptions & { readonly failIfAny?: boolean }): Promise<ExitCode> {
  const config = configForShow(cli);
  const contracts = contractsOf(config);
  return withReplies(cli, config, async (replies) => {
    const reviews = await replies.reviews(filterOf(options));
    if (cli.output.json)
      for (const reply of reviews) cli.output.answer(listed(reply, contracts ?? {}), () => '');
    else if (reviews.length > 0) cli.output.answer(null, () => table(reviews, contracts ?? {}));
    if (reviews.length === 0) cli.output.note('nothing is under review');
    return options.failIfAny === true && reviews.length > 0 ? exitCode.review : exitCode.done;
  });
}

/** The record, with what the table says besides; null where this machine's configuration does not know the bot. */
function listed(reply: ReplyRecord, contracts: Readonly<Record<string, string>>): object {
  const { bot, review } = reply;
  const ageSeconds = review && Math.max(0, Math.floor((Date.now() - Date.parse(review.since)) / 1000));
  return { ...reply, contract: contracts[bot] ?? null, ageSeconds };
}

function table(reviews: readonly ReplyRecord[], contracts: Readonly<Record<string, string>>): string {
  const nowMs = Date.now();
  return columns(
    ['REPLY', 'CONTRACT', 'AGE', 'ATTEMPTS', 'DOUBT'],
    reviews.map((reply) => {
      const { id, bot, review, attempts } = reply;
      return [
        id,
        contracts[bot] ?? '-',
        review ? ageWords(review.since, nowMs) : '-',
        String(attempts.length),
        doubtWords(reply),
      ];
    }),
  );
}

async function show(cli: Cli, name: string, showContent: boolean): Promise<ExitCode> {
  const named = readReplyName(name);
  return withReplies(cli, configForShow(cli), async (replies) => {
    const { reply: read, source } = await replies.read(named);
    const reply = { ...read, lateProof: read.lateProof ?? (await lateProofInLane(replies, read)) };
    const input = await replies.input(named);
    if (source === 'store') cli.output.note('no worker answered: this is what was saved last');
    const document = {
      ...reply,
      contentHash: input ? contentHash(input.content) : null,
      ...(showContent ? { content: input?.content ?? null } : {}),
    };
    cli.output.answer(document, () =>
      [
        replyText(reply),
        `  content hash: ${document.contentHash ?? 'unknown'}`,
        ...(showContent ? [`  content: ${JSON.stringify(input?.content ?? null)}`] : []),
        ...(reply.review ? [`  decide: ${decideHint(reply)}`] : []),
      ].join('\n'),
    );
    return exitCode.done;
  });
}

/** A reply that has ended, or a worker that was cut off, cannot be told: what came even later stands in the lane only. */
async function lateProofInLane(
  replies: ReplyClient,
  { bot, key, attempts }: ReplyRecord,
): Promise<LateProof | null> {
  if (attempts.length === 0) return null;
  try {
    const { lateProofs } = await replies.lane(bot).show();
    const own = lateProofs.filter(({ reply }) => reply === plainKey(key));
    const late = own.find(({ outcome }) => outcome === 'sent') ?? own.at(-1);
    return late ? { attempt: late.attempt, outcome: late.outcome, at: late.at, messageId: null } : null;
  } catch {
    // No lane, or no worker that answers for it: the record is shown without.
    return null;
  }
}

function decideHint({ id, review }: ReplyRecord): string {
  return `replylane review decide ${id} --attempt ${review?.attempt ?? 1} --decision sent|not_sent|resend|cancel --by WHO --reason WHY`;
}
