import type { WorkflowExecutionDescription } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplyRecord } from '../domain/record.ts';
import { TemporalUnreachableError } from './errors.ts';
import { type ReadReply, describeReply, isOpen, readReply, recordFromStore } from './read-reply.ts';
import type { ReplyName } from './reply-name.ts';
import type { TemporalLink } from './temporal-link.ts';

export interface ResultOptions {
  /** How long to wait; for ever by default. */
  readonly timeoutMs?: number;
}

const shortestPollMs = 100;
const longestPollMs = 2000;
const longestOutageMs = 60_000;

/**
 * Waits until a reply has ended or waits for a person, and gives its record; when the time is up, its record as it is
 * then. So a reply whose outcome is unknown is a `review`, and a slow one a `waiting`: neither is an exception.
 */
export async function awaitReply(
  link: TemporalLink,
  name: ReplyName,
  options: ResultOptions = {},
): Promise<ReplyRecord> {
  const startedMs = performance.now();
  const leftMs = (): number => (options.timeoutMs ?? Infinity) - (performance.now() - startedMs);
  let answeredMs = startedMs;
  for (let pollMs = shortestPollMs; ; pollMs = Math.min(longestPollMs, pollMs * 1.5)) {
    try {
      const found = await describeReply(link, name);
      answeredMs = performance.now();
      const settled = await settledRecord(link, found);
      if (settled) return settled;
      if (leftMs() <= 0) return (await readReply(link, found)).reply;
      await untilNews(link, found, Math.min(pollMs, leftMs()));
    } catch (error) {
      // A restart of Temporal loses nothing, so it should not end a wait either.
      const outageMs = performance.now() - answeredMs;
      if (!(error instanceof TemporalUnreachableError) || outageMs > longestOutageMs || leftMs() <= 0)
        throw error;
      await sleep(Math.min(pollMs, leftMs()));
    }
  }
}

async function settledRecord(
  link: TemporalLink,
  found: WorkflowExecutionDescription,
): Promise<ReplyRecord | undefined> {
  if (!isOpen(found)) return (await readReply(link, found)).reply;
  // The store says "under review" with no worker up, but its record is that of the review's beginning, which is enough.
  const saved = await recordFromStore(link, found);
  if (saved.state !== 'review') return undefined;
  const read: ReadReply = await readReply(link, found);
  return read.reply.state === 'waiting' || read.reply.state === 'sending' ? undefined : read.reply;
}

/** Sleeps, but not past the reply's end: the server tells that at once. */
async function untilNews(link: TemporalLink, found: WorkflowExecutionDescription, ms: number): Promise<void> {
  const over = new AbortController();
  const { client } = link;
  const handle = client.workflow.getHandle(found.workflowId, found.runId, { followRuns: false });
  const ended = client
    .withAbortSignal(over.signal, () => handle.result())
    .then(
      () => {},
      // A failure is read again, and told, by the next look; here it must not turn the wait into a spin.
      () => sleep(ms, undefined, { signal: over.signal }).catch(() => {}),
    );
  try {
    await Promise.race([ended, sleep(ms, undefined, { signal: over.signal })]);
  } finally {
    over.abort();
    await ended;
  }
}
