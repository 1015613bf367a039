import { setTimeout as sleep } from 'node:timers/promises';
import { mapAsDone } from '../../client/concurrency.ts';
import type { ReplyRecord } from '../../domain/record.ts';
import type { Stage } from './stage.ts';
import type { AcceptedReply } from './stream.ts';

/** How a reply was when it was read last. */
export interface EndState {
  readonly record: ReplyRecord | null;
  readonly problem: string | null;
}

const readsAtOnce = 10;
const lookAgainAfterMs = 1500;
const openQuery = "WorkflowType = 'replyWorkflow' AND ExecutionStatus = 'Running' AND ReplyState = 'waiting'";

/**
 * Waits until no reply is waiting or sending any more, then reads each; gives up once none has ended for so long. The
 * waiting asks one question of the server's list at a time: workers and server have better things to do.
 */
export async function settle(
  stage: Stage,
  replies: readonly AcceptedReply[],
  giveUpAfterMs: number,
  log: (line: string) => void,
): Promise<ReadonlyMap<string, EndState>> {
  let open = Infinity;
  for (let progressMs = performance.now(); performance.now() - progressMs < giveUpAfterMs;) {
    const count = await countOpen(stage);
    if (count === 0) {
      const states = await readAll(stage, replies);
      if ([...states.values()].every(({ record }) => record !== null && !isOpen(record))) return states;
    }
    if (count < open) progressMs = performance.now();
    if (count !== open) log(`${count} replies are waiting`);
    open = count;
    await sleep(lookAgainAfterMs);
  }
  return readAll(stage, replies);
}

async function countOpen(stage: Stage): Promise<number> {
  try {
    return (await stage.client.workflow.count(openQuery)).count;
  } catch {
    return Infinity;
  }
}

async function readAll(
  stage: Stage,
  replies: readonly AcceptedReply[],
): Promise<ReadonlyMap<string, EndState>> {
  const states = new Map<string, EndState>();
  const reads = mapAsDone(replies, readsAtOnce, async ({ planned: { bot, key } }) => {
    states.set(key, await read(stage, bot, key));
  });
  for await (const _ of reads);
  return states;
}

function isOpen({ state }: ReplyRecord): boolean {
  return state === 'waiting' || state === 'sending';
}

async function read(stage: Stage, bot: string, key: string): Promise<EndState> {
  try {
    return { record: await stage.replies.status({ bot, key }), problem: null };
  } catch (error) {
    return {
      record: null,
      problem: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    };
  }
}
