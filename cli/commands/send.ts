import { randomUUID } from 'node:crypto';
import { Option, type Command } from 'commander';
import { ReplyInputError } from '../../client/errors.ts';
import type { ReplyClass, ReplyHandle, ReplyRequest } from '../../client/index.ts';
import { draftReply } from '../../client/reply-draft.ts';
import type { ReplyRecord } from '../../domain/record.ts';
import { readDuration } from '../duration.ts';
import { type ExitCode, UsageError, exitCode } from '../exit-code.ts';
import { replyText } from '../reply-text.ts';
import { type Cli, configIfAny, contractsOf, requireBots, withReplies } from '../session.ts';
import { sendFile } from './send-file.ts';

interface SendOptions {
  readonly bot?: string;
  readonly chat?: string;
  readonly to?: string;
  readonly text?: string;
  readonly key?: string;
  readonly after?: string;
  readonly expiresIn?: number;
  readonly class?: ReplyClass;
  readonly wait?: boolean;
  readonly timeout?: number;
  readonly file?: string;
}

const single = ['bot', 'chat', 'to', 'text', 'key', 'after', 'expiresIn', 'class'] as const;

export function addSend(program: Command, cli: Cli, end: (code: ExitCode) => void): void {
  program
    .command('send')
    .description(
      'hand over one reply, or a file of them; with --wait: exit 0 sent, 6 under review, 1 anything else',
    )
    .option('--bot <bot>', 'name of the configured bot')
    .option('--chat <chat>', 'id of the chat, or a public @name')
    .option(
      '--to <address>',
      'the same in the words of the bot’s service, such as user:4711 or group:4711 for unifyport',
    )
    .option('--text <text>', 'what to say')
    .option('--key <key>', 'names the intention: the same key again sends nothing new (random if left out)')
    .option('--after <key>', 'key of the reply in the same chat after which this one goes')
    .option('--expires-in <time>', 'not sent after so long, such as 90s, 15m or 1h', readDuration)
    .addOption(new Option('--class <class>', 'how urgent').choices(['reply', 'bulk']))
    .option('--wait', 'until it has ended or is under review')
    .option('--timeout <time>', 'with --wait: no longer than this', readDuration)
    .option(
      '--file <path>',
      'JSON lines, each { bot, key, chat, text, … } or with content { method, params }; - is stdin',
    )
    .action(async (options: SendOptions) => end(await send(cli, options)));
}

async function send(cli: Cli, options: SendOptions): Promise<ExitCode> {
  if (options.timeout !== undefined && !options.wait) throw new UsageError('--timeout goes with --wait');
  if (options.file !== undefined) {
    const extra = single.filter((name) => options[name] !== undefined);
    if (extra.length > 0)
      throw new UsageError(`--file takes all from the file: leave out ${extra.map(flag).join(', ')}`);
    return sendFile(cli, options.file, { wait: options.wait === true, timeoutMs: options.timeout });
  }
  return sendOne(cli, options);
}

async function sendOne(cli: Cli, options: SendOptions): Promise<ExitCode> {
  const { bot, to, text, key = randomUUID(), after, expiresIn } = options;
  if (to !== undefined && options.chat !== undefined)
    throw new UsageError('--to and --chat are one thing: keep one');
  const chat = to ?? options.chat;
  const given = { bot, chat, text };
  const missing = (['bot', 'chat', 'text'] as const).filter((name) => given[name] === undefined);
  if (bot === undefined || chat === undefined || text === undefined) {
    throw new UsageError(
      `${missing.map(flag).join(', ')} missing: say which bot tells which chat what, or give --file`,
    );
  }
  const config = configIfAny(cli.env);
  const request: ReplyRequest = {
    bot,
    chat,
    text,
    after,
    class: options.class,
    expiresAt: expiresIn === undefined ? undefined : new Date(Date.now() + expiresIn),
  };
  const draft = draftReply(request, key, contractsOf(config));
  if (draft.kind === 'problems') throw new ReplyInputError('the reply was not sent', draft.problems);
  return withReplies(cli, config, async (replies) => {
    await requireBots(replies, config, [bot]);
    const handle = await replies.send(request, { key });
    if (handle.deduplicated) cli.output.note(`${handle.id} was there before: nothing new is sent`);
    if (options.wait !== true) {
      cli.output.answer(handleDocument(handle), () => `${handle.id}  ${handle.state}`);
      return exitCode.done;
    }
    // Whoever breaks the wait off must know under which name it goes on.
    if (!handle.deduplicated) cli.output.note(`${handle.id} is handed over`);
    const record = await handle.result(options.timeout === undefined ? {} : { timeoutMs: options.timeout });
    cli.output.answer(record, () => replyText(record));
    return waitedCode(record);
  });
}

/** What is known of a reply that was just handed over. */
export function handleDocument({ id, bot, key, workflowId, state, deduplicated }: ReplyHandle): object {
  return { id, bot, key, workflowId, state, deduplicated };
}

/** What `--wait` makes of a record. */
export function waitedCode({ state }: ReplyRecord): ExitCode {
  if (state === 'sent') return exitCode.done;
  return state === 'review' ? exitCode.review : exitCode.failed;
}

function flag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
