import { Context } from '@temporalio/activity';
import { Pace } from '../client/concurrency.ts';
import type { BulkOutcome } from '../domain/bulk-decision.ts';
import type { DecideRepliesInput } from './index.ts';
import type { ReplyMessages } from './reply-messages.ts';

const heartbeatEveryMs = 2000;

/**
 * Decides a few replies, one after the other, at the given pace. May be run again: what it has decided before counts as
 * done, since the reply has that very decision.
 */
export async function decideReplies(
  messages: ReplyMessages,
  { replies, ratePerSecond, ...decision }: DecideRepliesInput,
): Promise<readonly BulkOutcome[]> {
  const context = Context.current();
  const heartbeat = setInterval(() => context.heartbeat(), heartbeatEveryMs);
  const pace = new Pace(ratePerSecond);
  const outcomes: BulkOutcome[] = [];
  try {
    for (const { bot, key, attempt } of replies) {
      await pace.turn();
      outcomes.push(await messages.decide({ bot, key }, { ...decision, attempt }));
    }
    // The next few come right after these, and know nothing of their pace.
    await pace.turn();
    return outcomes;
  } finally {
    clearInterval(heartbeat);
  }
}
