/**
 * What one attempt came to. The words are those of the README's glossary; each variant carries only what its reader
 * branches on or shows to a person. `unknown` is a value like the others, never an exception (invariant 5).
 */

/** How far a request got: nothing written, (partly) written, or an answer's head was read. */
export type Progress = 'not_connected' | 'written' | 'answered';

/** Why a service refused. `auth` stops the lane instead of ending the reply. */
export type RejectionKind = 'permission' | 'destination' | 'request' | 'auth' | 'other';

/** Evidence of a refusal, as the service gave it; `code` is the service's own number, or null where it has none. */
export interface Rejection {
  readonly kind: RejectionKind;
  readonly code: number | null;
  readonly description: string;
}

/** The part of the service's success that is kept with the reply (message id, and date in Unix seconds if given). */
export interface SentMessage {
  readonly message_id: number | string | null;
  readonly date: number | null;
}

/** A failure in the service's own words, as an attempt keeps it. `null` where the answer has no such part. */
export interface ServiceError {
  readonly code: string;
  readonly numericCode: number | null;
  readonly message: string;
  /** Names the request at the service: what its support asks for. */
  readonly requestId: string | null;
}

/** What a service's answer means. Made only by a contract's `classify`, which is total and never throws. */
export type AnswerOutcome =
  /** The service took the message: there is proof in the answer. */
  | { readonly kind: 'sent'; readonly message: SentMessage }
  /** Refused for now, with a structured delay. */
  | { readonly kind: 'flood'; readonly retryAfterSeconds: number }
  /** The service as a whole has paused, and has not taken the message: the lane pauses with it, for minutes. */
  | { readonly kind: 'paused'; readonly evidence: string }
  /**
   * Refused in a way that the program must not interpret: a person decides. `isFlood`: for flood, without a usable delay,
   * so the lane pauses (absent: yes, as all were at first). `isFinal`: the same again can only be refused again.
   */
  | {
      readonly kind: 'held';
      readonly evidence: string;
      readonly isFlood?: boolean;
      readonly isFinal?: boolean;
    }
  /** Refused for good: these bytes are never repeated. */
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  /** The destination has another id now; `chat` is in the form of `Destination.chat`. */
  | { readonly kind: 'migrated'; readonly chat: string }
  /**
   * Nobody can know whether the message was taken. `unreadable`: an answer came, but not one of the service's.
   * `mayRepeat`: the idempotency key that it was sent with keeps the same request from being carried out twice.
   */
  | {
      readonly kind: 'unknown';
      readonly unreadable: boolean;
      readonly evidence: string;
      readonly mayRepeat?: boolean;
    };

/** What an attempt came to, whether or not an answer came. */
export type Outcome =
  | AnswerOutcome
  /** Proven not to have reached the service: nothing was written. */
  | { readonly kind: 'unreached'; readonly evidence: string };

export type OutcomeKind = Outcome['kind'];

/** Makes a forgotten variant a compile-time error; reached at run time only by data from a newer version. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
