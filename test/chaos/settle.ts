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
const lookAgainAfterMs = 1000;

/**
 * Reads the replies until none is waiting or sending any more, or the time is up; gives each as it was last. What has
 * ended is not read again.
 */
export async function settle(
  stage: Stage,
  replies: readonly AcceptedReply[],
  withinMs: number,
  log: (line: string) => void,
): Promise<ReadonlyMap<string, EndState>> {
  const states = new Map<string, EndState>();
  const untilMs = performance.now() + withinMs;
  let open = replies.map(({ planned }) => planned);
  for (;;) {
    const reads = mapAsDone(open, readsAtOnce, async ({ bot, key }) => {
      states.set(key, await read(stage, bot, key));
    });
    for await (const _ of reads);
    open = open.filter(({ key }) => isOpen(states.get(key)));
    if (open.length === 0) return states;
    if (performance.now() > untilMs) {
      log(
        `${open.length} replies have not ended: ${open
          .slice(0, 5)
          .map(({ key }) => key)
          .join(', ')} …`,
      );
      return states;
    }
    log(`waiting for ${open.length} replies to end`);
    await sleep(lookAgainAfterMs);
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

/** A reply that cannot be read now is looked at again: Temporal may have been away. */
function isOpen(state: EndState | undefined): boolean {
  const record = state?.record;
  return !record || record.state === 'waiting' || record.state === 'sending';
}
