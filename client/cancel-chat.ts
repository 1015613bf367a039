import { setTimeout as sleep } from 'node:timers/promises';
import { contractOf } from '../contracts/index.ts';
import type { CancelRequest } from '../domain/decisions.ts';
import type { ReplyInput } from '../domain/reply-input.ts';
import { mapAsDone } from './concurrency.ts';
import { ReplyNotFoundError } from './errors.ts';
import { openExecutions } from './list-replies.ts';
import { type CancelResult, cancelReply } from './reply-acts.ts';
import { storedInput } from './stored-input.ts';
import type { TemporalLink } from './temporal-link.ts';

const cancelsAtOnce = 10;
/** The store's list lags a little: a second look finds what was started right before the first. */
const secondLookAfterMs = 1000;

/**
 * Cancels all open replies of a bot to one chat, and gives the truth about each. `chat` is the lane's bucket. A reply that
 * moved to a new chat id counts under the id that it was sent with.
 */
export async function* cancelChat(
  link: TemporalLink,
  target: { readonly bot: string; readonly contract: string; readonly chat: string },
  request: CancelRequest,
): AsyncGenerator<CancelResult, void, undefined> {
  const seen = new Set<string>();
  for (let look = 1; look <= 2; look++) {
    if (look > 1) await sleep(secondLookAfterMs);
    const results = mapAsDone(openExecutions(link, target.bot), cancelsAtOnce, async (info) => {
      if (seen.has(info.workflowId)) return undefined;
      seen.add(info.workflowId);
      const input = await storedInput(link, info);
      if (!input || chatOf(target.contract, input) !== target.chat) return undefined;
      try {
        return await cancelReply(link, input, request);
      } catch (error) {
        if (error instanceof ReplyNotFoundError) return undefined;
        throw error;
      }
    });
    for await (const result of results) if (result) yield result;
  }
}

function chatOf(contractName: string, { content }: ReplyInput): string | undefined {
  const contract = contractOf(contractName);
  return contract && contract.check(content).length === 0 ? contract.destination(content).chat : undefined;
}
