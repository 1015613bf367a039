import type { Command } from 'commander';
import type { CancelRequest, CancelResult } from '../../client/index.ts';
import { readReplyName } from '../../client/reply-name.ts';
import { assertNever } from '../../domain/outcome.ts';
import { type ExitCode, UsageError, exitCode } from '../exit-code.ts';
import { replyText } from '../reply-text.ts';
import { type Cli, configForShow, configIfAny, withReplies } from '../session.ts';

interface CancelOptions extends CancelRequest {
  readonly bot?: string;
  readonly chat?: string;
}

export function addCancel(program: Command, cli: Cli, end: (code: ExitCode) => void): void {
  program
    .command('cancel')
    .description(
      'cancel one reply, or all open ones of a chat (a person has answered); answers with the truth',
    )
    .argument('[reply]', '<bot>/<key>')
    .option('--bot <bot>', 'with --chat: whose replies')
    .option('--chat <chat>', 'id of the chat, or a public @name')
    .requiredOption('--by <who>', 'who does this')
    .requiredOption('--reason <why>', 'why')
    .action(async (reply: string | undefined, options: CancelOptions) =>
      end(await cancel(cli, reply, options)),
    );
}

async function cancel(cli: Cli, name: string | undefined, options: CancelOptions): Promise<ExitCode> {
  const { bot, chat, by, reason } = options;
  if (name !== undefined && bot === undefined && chat === undefined)
    return cancelOne(cli, name, { by, reason, via: 'cli' });
  if (name !== undefined || bot === undefined || chat === undefined) {
    throw new UsageError('give either one reply (<bot>/<key>), or --bot and --chat');
  }
  return cancelAll(cli, bot, chat, { by, reason, via: 'cli' });
}

async function cancelOne(cli: Cli, name: string, request: CancelRequest): Promise<ExitCode> {
  const named = readReplyName(name);
  return withReplies(cli, configForShow(cli), async (replies) => {
    const result = await replies.cancel(named, request);
    cli.output.answer(result, () => `${result.kind.replace('_', ' ')}: ${replyText(result.reply)}`);
    switch (result.kind) {
      case 'cancelled':
        return exitCode.done;
      case 'requested':
        // No worker is up, or an attempt has been in flight for long.
        cli.output.note('no worker has confirmed it: the request is saved, and counts once one takes it');
        return exitCode.done;
      case 'too_late':
        if (result.reply.state === 'review') cli.output.note(`it is under review: ${decideHint(result)}`);
        return exitCode.refused;
      default:
        return assertNever(result);
    }
  });
}

async function cancelAll(cli: Cli, bot: string, chat: string, request: CancelRequest): Promise<ExitCode> {
  const config = configIfAny(cli.env);
  return withReplies(cli, config, async (replies) => {
    const counts = { cancelled: 0, too_late: 0, requested: 0 };
    for await (const result of replies.cancelChat(bot, chat, request)) {
      counts[result.kind]++;
      cli.output.answer(result, () => `${result.kind.replace('_', ' ')}: ${replyText(result.reply)}`);
    }
    cli.output.note(
      `${counts.cancelled} cancelled, ${counts.requested} requested, ${counts.too_late} too late`,
    );
    return exitCode.done;
  });
}

function decideHint({ reply }: CancelResult): string {
  const attempt = reply.review?.attempt ?? reply.attempts.length;
  return `replylane review decide ${reply.id} --attempt ${attempt} --decision cancel --by WHO --reason WHY`;
}
