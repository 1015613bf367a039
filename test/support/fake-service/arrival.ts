/** What the fake service saw, kept as evidence. Instants are those of the fake's own clock, `nowMs`. */

/** How much of a request was read: its head, a part of its body too, or all of it. */
export type Received = 'head' | 'partial' | 'whole';

/** `stored`: it took effect. `refused`: a 4xx. `flood`: a 429. `none`: neither (yet): no answer, 5xx, a mere question. */
export type Verdict = 'stored' | 'refused' | 'flood' | 'none';

/** One request whose head was read. Never holds the token. */
export interface Arrival {
  /** Position in the order in which the heads were read, from 1. */
  readonly n: number;
  /** When the head was read; windows and penalties are judged at this instant. */
  readonly atMs: number;
  /** Name of the bot; null for a token that no bot has. */
  readonly bot: string | null;
  readonly method: string | null;
  /** Exact digits as in the raw body, or a lower-case `@name`; null until the body is whole, or without `chat_id`. */
  readonly chat: string | null;
  /** `text`, or else `caption`. */
  readonly text: string | null;
  readonly params: Readonly<Record<string, unknown>> | null;
  readonly verdict: Verdict;
  /** Status of the answer; null when none was begun. */
  readonly httpStatus: number | null;
  /** Arrived before the end of a penalty, whether or not the sender could know of it (see `Deadline`). */
  readonly early: boolean;
  readonly received: Received;
  readonly bodyBytes: number;
  /** `id` of the connection it came on. */
  readonly connection: number;
  /** When the answer was begun; null when none was. */
  readonly answeredAtMs: number | null;
  /** When the exchange was over: answered to the end, or its socket closed; null while it is outstanding. */
  readonly closedAtMs: number | null;
}

/** The fake's own hand on an arrival. */
export type OpenArrival = { -readonly [Field in keyof Arrival]: Arrival[Field] };

/** A wait that a 429 announced: from its answer on, the sender knows. */
export interface Deadline {
  readonly bot: string;
  /** The chat that has to wait; null: all chats of the bot. */
  readonly chat: string | null;
  readonly answeredAtMs: number;
  readonly retryAfterSeconds: number;
  /** `answeredAtMs` and the announced seconds: a sender that obeys sends nothing before. */
  readonly untilMs: number;
}

/** A message that the service took, whatever the sender was told. */
export interface StoredMessage {
  /** `n` of its arrival. */
  readonly n: number;
  readonly atMs: number;
  readonly bot: string;
  readonly method: string;
  readonly chat: string | null;
  readonly text: string | null;
  readonly messageId: number;
}

/** One accepted connection. `bytesRead` above 0 with no requests means: a head that was never completed. */
export interface ConnectionRecord {
  readonly id: number;
  readonly requests: number;
  readonly bytesRead: number;
  readonly open: boolean;
}
