import { setTimeout as sleep } from 'node:timers/promises';
import type { InputProblem } from '../domain/reply-input.ts';
import { mapAsDone } from './concurrency.ts';
import { ReplyConflictError, ReplyInputError, TemporalUnreachableError } from './errors.ts';
import type { ReplyRequest } from './reply-draft.ts';
import type { ReplyHandle } from './reply-handle.ts';

/** One reply of many; its key stands beside it. */
export type KeyedReplyRequest = ReplyRequest & { readonly key: string };

/** What became of one item. `index` counts from 0 in the order of the source. */
export type SendReport = { readonly index: number } & (
  | { readonly kind: 'accepted'; readonly handle: ReplyHandle }
  /** The same reply was there before. */
  | { readonly kind: 'deduplicated'; readonly handle: ReplyHandle }
  /** Its key was used for other content. */
  | { readonly kind: 'conflict'; readonly error: ReplyConflictError }
  | { readonly kind: 'invalid'; readonly problems: readonly InputProblem[] }
  /** Not started, or (if Temporal went silent) perhaps started: safe to send again with the same key. */
  | { readonly kind: 'failed'; readonly error: unknown }
);

export interface SendProgress {
  readonly accepted: number;
  readonly deduplicated: number;
  readonly conflict: number;
  readonly invalid: number;
  readonly failed: number;
  /** All of the above. */
  readonly done: number;
}

export interface SendAllOptions {
  /** Starts in flight at once; 20 by default. */
  readonly concurrency?: number;
  readonly onProgress?: (progress: SendProgress) => void;
  /** Pauses between the tries of one item while Temporal does not answer. */
  readonly retryPausesMs?: readonly number[];
}

const defaultRetryPausesMs = [500, 1000, 2000, 4000];

/** Sends each item, whatever becomes of the others, and reports on each as it is done. */
export async function* sendAll(
  send: (request: ReplyRequest, key: string) => Promise<ReplyHandle>,
  source: Iterable<KeyedReplyRequest> | AsyncIterable<KeyedReplyRequest>,
  options: SendAllOptions = {},
): AsyncGenerator<SendReport, void, undefined> {
  const { concurrency = 20, onProgress, retryPausesMs = defaultRetryPausesMs } = options;
  const counts = { accepted: 0, deduplicated: 0, conflict: 0, invalid: 0, failed: 0, done: 0 };
  // Once retries have been in vain for one item, the others are tried once each, until Temporal is back.
  let outage = false;
  const sendOne = async (item: KeyedReplyRequest, index: number): Promise<SendReport> => {
    for (let attempt = 0; ; attempt++) {
      try {
        const { key, ...request } = item;
        const handle = await send(request as ReplyRequest, key);
        outage = false;
        return { index, kind: handle.deduplicated ? 'deduplicated' : 'accepted', handle };
      } catch (error) {
        if (error instanceof ReplyConflictError) return { index, kind: 'conflict', error };
        if (error instanceof ReplyInputError) return { index, kind: 'invalid', problems: error.problems };
        if (!(error instanceof TemporalUnreachableError)) return { index, kind: 'failed', error };
        const pauseMs = outage ? undefined : retryPausesMs[attempt];
        if (pauseMs === undefined) {
          outage = true;
          return { index, kind: 'failed', error };
        }
        await sleep(pauseMs);
      }
    }
  };
  for await (const report of mapAsDone(source, Math.max(1, concurrency), sendOne)) {
    counts[report.kind]++;
    counts.done++;
    onProgress?.({ ...counts });
    yield report;
  }
}
