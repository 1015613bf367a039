import { Option, type Command } from 'commander';
import type { ListFilter, ReplyStateName } from '../../client/index.ts';
import { readReplyName } from '../../client/reply-name.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { readWhole } from '../duration.ts';
import { columns } from '../output.ts';
import { replyText, stateWords, shown } from '../reply-text.ts';
import { type Cli, configForShow, withReplies } from '../session.ts';

const states: readonly ReplyStateName[] = [
  'waiting',
  'sending',
  'review',
  'sent',
  'rejected',
  'cancelled',
  'expired',
  'not_sent',
];

const savedLast = 'no worker answered: this is what was saved last';

interface ListOptions {
  readonly state?: ReplyStateName;
  readonly bot?: string;
  readonly limit: number;
}

export function addStatus(program: Command, cli: Cli, end: (code: ExitCode) => void): void {
  program
    .command('status')
    .description('how one reply is now')
    .argument('<reply>', '<bot>/<key>')
    .action(async (reply: string) => end(await status(cli, reply)));
  program
    .command('list')
    .description('replies, the latest first; "sending" counts as "waiting"')
    .addOption(new Option('--state <state>', 'only in this state').choices(states))
    .option('--bot <bot>', 'only of this bot')
    .option('--limit <count>', 'at most so many', readWhole(1), 1000)
    .action(async (options: ListOptions) => end(await list(cli, options)));
}

async function status(cli: Cli, name: string): Promise<ExitCode> {
  const named = readReplyName(name);
  return withReplies(cli, configForShow(cli), async (replies) => {
    const { reply, source } = await replies.read(named);
    if (source === 'store') cli.output.note(savedLast);
    cli.output.answer(reply, () => replyText(reply));
    return exitCode.done;
  });
}

async function list(cli: Cli, { state, bot, limit }: ListOptions): Promise<ExitCode> {
  const filter: ListFilter = {
    limit,
    ...(state === undefined ? {} : { state }),
    ...(bot === undefined ? {} : { bot }),
  };
  return withReplies(cli, configForShow(cli), async (replies) => {
    const rows: string[][] = [];
    let count = 0;
    let workerless = false;
    for await (const listed of replies.list(filter)) {
      count++;
      workerless ||= listed.kind === 'reply' && listed.source === 'store';
      if (listed.kind === 'lost') cli.output.note(listed.error.message);
      else if (cli.output.json) cli.output.answer(listed.reply, () => '');
      else
        rows.push([shown(listed.reply.id), stateWords(listed.reply), String(listed.reply.attempts.length)]);
    }
    if (rows.length > 0) cli.output.answer(null, () => columns(['REPLY', 'STATE', 'ATTEMPTS'], rows));
    if (workerless) cli.output.note(savedLast);
    if (count === 0) cli.output.note('no such reply');
    if (count === limit) cli.output.note(`there may be more than ${limit}: raise --limit`);
    return exitCode.done;
  });
}
