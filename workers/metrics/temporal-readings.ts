import type { TemporalLink } from '../../client/temporal-link.ts';
import { cooldownWorkflowId } from '../../domain/ids.ts';
import type { LaneView } from '../../domain/lane/show.ts';
import { type ReplyStateName, type ReviewKind, finalStates } from '../../domain/record.ts';
import { attributeNames, memoFields, replyWorkflowType } from '../../workflows/names.ts';
import { cooldownQuery } from '../../workflows/protocol.ts';

/** States as the list of workflows tells them: `sending` counts as `waiting` there. */
export const shownStates: readonly Exclude<ReplyStateName, 'sending'>[] = [
  'waiting',
  'review',
  ...finalStates,
];

/** Replies under review of one bot and kind. */
export interface OpenReviews {
  readonly count: number;
  /** Since when the oldest of them waits for a person; null where there is none. */
  readonly oldestSinceMs: number | null;
}

export type ReviewsByKind = Readonly<Record<ReviewKind, OpenReviews>>;

const isReply = `WorkflowType = '${replyWorkflowType}'`;
const isOpen = `ExecutionStatus = 'Running'`;
const { state: stateName, bot: botName, since: sinceName } = attributeNames;

/** How many replies of the bot Temporal has in each state. */
export async function countReplies(link: TemporalLink, bot: string): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const state of shownStates) {
    const query = [isReply, `WorkflowId STARTS_WITH 'reply:${bot}:'`, ...conditions(state)].join(' AND ');
    const { count } = await link.call(() => link.client.workflow.count(query));
    counts.set(state, count);
  }
  return counts;
}

function conditions(state: string): readonly string[] {
  switch (state) {
    case 'waiting':
      // One that was started without attributes, and never worked on, waits too.
      return [isOpen, `(${stateName} = '${state}' OR ${stateName} IS NULL)`];
    case 'review':
      return [isOpen, `${stateName} = '${state}'`];
    default:
      return [`${stateName} = '${state}'`];
  }
}

/** The replies under review of each of the bots, as the store has them: no worker is asked. */
export async function readReviews(
  link: TemporalLink,
  bots: readonly string[],
): Promise<ReadonlyMap<string, ReviewsByKind>> {
  const tallies = new Map(
    bots.map((bot) => [bot, { unknown: noReviews, held: noReviews, budget: noReviews }]),
  );
  const query = [isReply, isOpen, `${stateName} = 'review'`].join(' AND ');
  const list = link.client.workflow.list({ query, pageSize: 500 })[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await link.call(() => list.next());
    if (done) return tallies;
    const bot = value.typedSearchAttributes.get({ name: botName, type: 'KEYWORD' });
    const tally = bot === undefined ? undefined : tallies.get(bot);
    if (!tally) continue;
    const saved = savedReview(value.memo?.[memoFields.reply]);
    const listedSince = value.typedSearchAttributes.get({ name: sinceName, type: 'DATETIME' });
    const sinceMs = saved?.sinceMs ?? listedSince?.getTime() ?? value.startTime.getTime();
    // A doubt of a kind that cannot be read is the gravest.
    const kind = saved?.kind ?? 'unknown';
    const { count, oldestSinceMs } = tally[kind];
    tally[kind] = { count: count + 1, oldestSinceMs: Math.min(oldestSinceMs ?? Infinity, sinceMs) };
  }
}

const noReviews: OpenReviews = { count: 0, oldestSinceMs: null };
const kinds: Readonly<Record<ReviewKind, true>> = { unknown: true, held: true, budget: true };

/** Kind and begin of the review in a reply's memo, where there is one that can be read. */
function savedReview(memo: unknown): { readonly kind: ReviewKind; readonly sinceMs: number } | undefined {
  const { review } = (memo ?? {}) as { review?: { kind?: unknown; since?: unknown } | null };
  if (!review || typeof review.kind !== 'string' || !Object.hasOwn(kinds, review.kind)) return undefined;
  const sinceMs = typeof review.since === 'string' ? Date.parse(review.since) : NaN;
  return Number.isNaN(sinceMs) ? undefined : { kind: review.kind as ReviewKind, sinceMs };
}

/** The lane as a worker answers for it. */
export function readLane({ client, workerTimeoutMs }: TemporalLink, bot: string): Promise<LaneView> {
  const lane = client.workflow.getHandle(cooldownWorkflowId(bot));
  return client.withDeadline(Date.now() + workerTimeoutMs, () => lane.query(cooldownQuery));
}
