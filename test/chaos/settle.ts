import { setTimeout as sleep } from 'node:timers/promises';
import { mapAsDone } from '../../client/concurrency.ts';
import { stateAttribute } from '../../client/saved-record.ts';
import { replyWorkflowId } from '../../domain/ids.ts';
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

/**
 * Waits until no reply is waiting or sending any more, or the time is up; then reads each. The waiting asks the server's
 * store only: workers have better things to do.
 */
export async function settle(
  stage: Stage,
  replies: readonly AcceptedReply[],
  withinMs: number,
  log: (line: string) => void,
): Promise<ReadonlyMap<string, EndState>> {
  const untilMs = performance.now() + withinMs;
  for (let open = replies; ; await sleep(lookAgainAfterMs)) {
    const looks = mapAsDone(open, readsAtOnce, async (reply) =>
      (await isOpen(stage, reply)) ? [reply] : [],
    );
    open = [];
    for await (const still of looks) open = [...open, ...still];
    if (open.length === 0) break;
    const some = open.slice(0, 3).map(({ planned }) => planned.key);
    log(`waiting for ${open.length} replies to end: ${some.join(', ')}`);
    if (performance.now() > untilMs) break;
  }
  const states = new Map<string, EndState>();
  const reads = mapAsDone(replies, readsAtOnce, async ({ planned: { bot, key } }) => {
    states.set(key, await read(stage, bot, key));
  });
  for await (const _ of reads);
  return states;
}

/** Neither ended nor under review, as far as the store knows. */
async function isOpen(stage: Stage, { planned }: AcceptedReply): Promise<boolean> {
  try {
    const found = await stage.client.workflow.getHandle(replyWorkflowId(planned)).describe();
    return found.status.name === 'RUNNING' && stateAttribute(found) !== 'review';
  } catch {
    return true;
  }
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
