import { plainKey } from '../domain/ids.ts';
import type { RefusedWhy, Verdict } from '../domain/lane/messages.ts';
import type { OutcomeKind, Progress } from '../domain/outcome.ts';
import type { SendResult } from '../domain/send.ts';

/**
 * What a worker process sees happen, for its metrics and its log. Nothing here may hold a token, a destination, a text or
 * a service's own words (invariant 8).
 */
export type Observation =
  /** An ask came to an answer, so long after it was put. */
  | {
      readonly event: 'claim';
      readonly bot: string;
      readonly verdict: Verdict['kind'] | 'no_answer';
      readonly ms: number;
    }
  /** One claim was granted, and this followed. `ms` is from the grant to the answer's head, or to giving up. */
  | {
      readonly event: 'attempt';
      readonly reply: string;
      readonly bot: string;
      readonly contract: string;
      readonly attempt: number;
      readonly outcome: OutcomeKind;
      readonly httpStatus: number | null;
      readonly progress: Progress;
      readonly ms: number;
    }
  /** A run ended without an attempt, and not merely to wait. */
  | { readonly event: 'no_attempt'; readonly reply: string; readonly bot: string; readonly why: NoAttemptWhy }
  /** `notBefore` is null where only the lane knows it. */
  | {
      readonly event: 'lane_closed';
      readonly bot: string;
      readonly reason: LaneClosedReason;
      readonly notBefore: string | null;
    }
  | { readonly event: 'lane_stopped' | 'lane_paused' | 'lane_opened'; readonly bot: string }
  /** So many reports to the lane wait in this process for the server to take them. */
  | { readonly event: 'reports_kept'; readonly bot: string; readonly count: number };

export type NoAttemptWhy = RefusedWhy | 'reset' | 'restarted' | 'no_token' | 'bad_content';

/** What this process was answered itself; `cooldown` where the lane said so, on another's word. */
export type LaneClosedReason = 'flood' | 'held' | 'paused' | 'cooldown';

export type Observe = (seen: Observation) => void;

/** The same, but nothing that goes wrong in it reaches the sender: a metric is worth no reply. */
export function harmless(observe: Observe | undefined): Observe {
  return (seen) => {
    try {
      observe?.(seen);
    } catch {
      // What watches must not break what it watches.
    }
  };
}

/** How observations name a reply: its key in plain form, as in its Workflow Id. */
export function observedName(reply: { readonly bot: string; readonly key: string }): string {
  return `${reply.bot}/${plainKey(reply.key)}`;
}

/** Why a run made no attempt; undefined where it made one, or only waits. */
export function noAttemptWhy(result: SendResult): NoAttemptWhy | undefined {
  switch (result.kind) {
    case 'attempted':
    case 'postponed':
      return undefined;
    case 'refused':
      return result.why;
    case 'reset':
    case 'restarted':
    case 'no_token':
    case 'bad_content':
      return result.kind;
  }
}
