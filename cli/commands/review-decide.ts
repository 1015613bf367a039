import type { DecisionName, DecisionRequest } from '../../client/index.ts';
import { readReplyName } from '../../client/reply-name.ts';
import { type ExitCode, UsageError, exitCode } from '../exit-code.ts';
import { replyText } from '../reply-text.ts';
import type { FilterOptions } from '../review-filter.ts';
import { type Cli, configForShow, withReplies } from '../session.ts';
import { decideAll } from './review-bulk.ts';

export interface DecideOptions extends FilterOptions {
  readonly attempt?: number;
  readonly decision: DecisionName;
  readonly by: string;
  readonly reason: string;
  readonly messageId?: number;
  readonly allowExpired?: boolean;
  readonly all?: boolean;
  readonly yes?: boolean;
}

export async function decide(cli: Cli, name: string | undefined, options: DecideOptions): Promise<ExitCode> {
  if (options.all === true) {
    if (name !== undefined || options.attempt !== undefined || options.messageId !== undefined) {
      throw new UsageError(
        '--all decides each reply by its own latest attempt: leave out the reply, --attempt and --message-id',
      );
    }
    return withReplies(cli, configForShow(cli), (replies) => decideAll(cli, replies, options));
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
  return withReplies(cli, configForShow(cli), async (replies) => {
    if (options.decision === 'resend') cli.output.note('a resend may send it a second time');
    const { kind, reply } = await replies.decide(named, request);
    if (kind === 'requested') {
      cli.output.note(
        'requested only, no worker has confirmed it: the decision is saved, and counts once one takes it, if the review is still on',
      );
    }
    cli.output.answer(
      { kind, ...reply },
      () => `${kind === 'requested' ? 'requested: ' : ''}${replyText(reply)}`,
    );
    return exitCode.done;
  });
}

function requestOf(options: DecideOptions, attempt: number): DecisionRequest {
  const { decision, by, reason, messageId, allowExpired } = options;
  return {
    attempt,
    decision,
    by,
    reason,
    via: 'cli',
    ...(messageId === undefined ? {} : { messageId }),
    ...(allowExpired === undefined ? {} : { allowExpired }),
  };
}
