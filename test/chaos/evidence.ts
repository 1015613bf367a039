import type { ReplyRecord } from '../../domain/record.ts';
import type { Arrival, Deadline, StoredMessage, Windows } from '../support/fake-service/index.ts';
import type { Act, PlannedFault } from './fault.ts';

/**
 * What a run leaves behind, JSON-safe: the service's own record, the final state of every reply, and what the lanes'
 * histories say of claims and floods. All instants are of one machine's clock, in milliseconds.
 */
export interface Evidence {
  readonly settings: {
    readonly httpTimeoutMs: number;
    /** Longest time from a claim to its request. */
    readonly claimLifeMs: number;
    /** What a slow network may add to the way of a request. */
    readonly slowestWireMs: number;
    readonly windows: Windows;
  };
  readonly replies: readonly ReplyEvidence[];
  readonly acts: readonly ActEvidence[];
  readonly arrivals: readonly ArrivalEvidence[];
  readonly stored: readonly StoredMessage[];
  readonly deadlines: readonly Deadline[];
  readonly sightings: readonly Sighting[];
  readonly lanes: readonly LaneEvidence[];
  readonly faults: readonly FaultEvidence[];
}

/** A request at the service; its `text` is the key of its reply. */
export type ArrivalEvidence = Arrival;

/** A reply that Temporal had accepted. */
export interface ReplyEvidence {
  readonly bot: string;
  readonly key: string;
  readonly chat: string;
  readonly after: string | null;
  /** Place in the chain of its chat. */
  readonly order: number | null;
  readonly acceptedAtMs: number;
  /** How it was at the end; null where it has no state. */
  readonly record: ReplyRecord | null;
  /** Why there is no record. */
  readonly problem: string | null;
  /** When it was first seen in the list of reviews, if ever. */
  readonly listedAtMs: number | null;
}

/** What a person did; `by` is unlike any other act's, so that a reply's record tells which one counted. */
export interface ActEvidence {
  readonly by: string;
  readonly kind: Act['kind'] | 'resume';
  readonly bot: string;
  readonly key: string | null;
  readonly decision: string | null;
  readonly askedAtMs: number;
  readonly answeredAtMs: number | null;
  /** The kind of the answer, or the name of the error. */
  readonly answer: string | null;
}

/** The bytes of a reply's request were seen to leave a worker, whatever became of them. */
export interface Sighting {
  readonly key: string;
  readonly atMs: number;
}

/** What the histories of one bot's lane hold. */
export interface LaneEvidence {
  readonly bot: string;
  readonly grants: readonly Grant[];
  readonly closings: readonly Closing[];
  /** Keys of replies that the lane told to wait for a predecessor it had not heard of, and after 30 s no longer. */
  readonly skips: readonly string[];
}

/** A claim that was answered `go`, on the lane's clock. The same claim answered twice is one grant. */
export interface Grant {
  readonly key: string;
  readonly attempt: number;
  readonly atMs: number;
}

/** From `savedAtMs` on the lane had to be closed until `untilMs`. */
export interface Closing {
  readonly why: 'flood' | 'held' | 'extended' | 'paused';
  /** Whose request met it. */
  readonly key: string | null;
  readonly savedAtMs: number;
  readonly untilMs: number;
}

export interface FaultEvidence {
  readonly planned: PlannedFault;
  /** Null where it came to nothing, for example since the worker was down already. */
  readonly firedAtMs: number | null;
  /** The worker it hit. */
  readonly worker: number | null;
  /** A request was in flight where it hit. */
  readonly inFlight: boolean;
  readonly note: string | null;
}

/** A rule that was not kept, where, and how that shows. */
export interface Finding {
  readonly bot: string;
  readonly key: string | null;
  readonly what: string;
}
