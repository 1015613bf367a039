import { Context } from '@temporalio/activity';
import type { BotConfig } from '../config/bot-config.ts';
import { lanePolicyOf } from '../config/bot-config.ts';
import { contractOf } from '../contracts/index.ts';
import type { SendInput, SendResult } from '../domain/send.ts';
import { budgetsOf } from './budgets.ts';
import { BotRoom } from './bot-room.ts';
import { ClaimBatch } from './claim-batch.ts';
import { decideReplies } from './decide-replies.ts';
import type { Activities } from './index.ts';
import type { LaneClient } from './lane-client.ts';
import { type Observe, harmless, noAttemptWhy, observedName } from './observe.ts';
import { RareNotes } from './rare-notes.ts';
import type { SendDeps } from './send-deps.ts';
import { sendMessage } from './send-message.ts';

/** What a worker process gives its activities. */
export interface ActivityDeps extends Omit<SendDeps, 'batchOf' | 'roomOf'> {
  readonly lanes: LaneClient;
}

/** The activities of one worker process, with what they share: one conversation and one room for each bot. */
export function createActivities(given: ActivityDeps): Activities {
  const observe = harmless(given.observe);
  const deps: ActivityDeps = { ...given, observe };
  const rareNotes = new RareNotes({ note: deps.log });
  const logRarely = (problem: string): void => rareNotes.tell(problem, problem);
  const batches = new Map<string, ClaimBatch>();
  const rooms = new Map<string, BotRoom>();
  const batchOf = (bot: BotConfig): ClaimBatch => {
    let batch = batches.get(bot.name);
    if (!batch) {
      batch = new ClaimBatch({
        bot: bot.name,
        lanes: deps.lanes,
        // The configuration may have changed since.
        policy: () => lanePolicyOf(deps.bots.get(bot.name) ?? bot),
        log: deps.log,
        observe,
      });
      batches.set(bot.name, batch);
    }
    return batch;
  };
  const roomOf = (bot: string): BotRoom => {
    let room = rooms.get(bot);
    if (!room) {
      room = new BotRoom();
      rooms.set(bot, room);
    }
    return room;
  };
  return {
    async sendMessage(input) {
      const result = await sendMessage({ ...deps, log: logRarely, batchOf, roomOf }, input);
      noteNoAttempt(observe, input, result);
      return result;
    },
    async revokeAttempt({ bot, ...request }) {
      const { workflowExecution } = Context.current().info;
      if (!workflowExecution) throw new Error('revokeAttempt is called by a workflow');
      const config = deps.bots.get(bot);
      // Where this worker does not know the bot and its rules, nothing is repeated.
      const hasKeys = config !== undefined && (contractOf(config.contract)?.protection ?? null) !== null;
      const answer = await deps.lanes.revoke(
        bot,
        { ...request, ...(hasKeys ? { hasKeys } : {}) },
        workflowExecution,
      );
      const budgets = config && budgetsOf(config);
      return { ...answer, ...(budgets ? { budgets } : {}) };
    },
    decideReplies: (input) => decideReplies(deps.replies, input),
  };
}

/** A reply that no worker has a token for asks again and again: told once. */
function noteNoAttempt(observe: Observe, input: SendInput, result: SendResult): void {
  const why = noAttemptWhy(result);
  if (why === undefined || (why === 'no_token' && input.run > 1)) return;
  observe({ event: 'no_attempt', reply: observedName(input), bot: input.bot, why });
}
