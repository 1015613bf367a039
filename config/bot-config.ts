import type { ReviewPolicy } from '../domain/send.ts';
import type { LanePolicy, Window } from '../domain/lane/policy.ts';

/** Settings of one bot, complete: every default is filled in. Holds no secret, only where to find it. */
export interface BotConfig {
  readonly name: string;
  /** Name of the service's contract. */
  readonly contract: string;
  readonly token: TokenSource;
  /** Where the secret is that deliveries of its webhook are proven by; undefined: it has no webhook. */
  readonly webhookSecret: TokenSource | undefined;
  /** The connected account that the token is used for, where the contract has accounts; else null. */
  readonly account: string | null;
  /** Root of the service's API, without a slash at its end. */
  readonly apiRoot: string;
  readonly limits: BotLimits;
  /** From the start of a request to the end of its answer. */
  readonly httpTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** How long a granted claim is good for, counted from before it was asked (invariant 4). */
  readonly claimLifeMs: number;
  /** Attempts of one reply before it goes to review; floods and `unreached` are not counted. */
  readonly maxAttempts: number;
  readonly maxFloods: number;
  readonly reviewAfterAgeMs: number;
  /** Expiry of a reply that names none, counted from its start; null: it has none. */
  readonly expiresAfterMs: number | null;
  /** Pause of the lane after a refusal for flood that named no usable delay. */
  readonly heldPauseMs: number;
  readonly unreachedBackoffMinMs: number;
  readonly unreachedBackoffMaxMs: number;
  /** Least time between two attempts of one reply. */
  readonly minAttemptGapMs: number;
  /** What is decided on a review that nobody has decided for so long; null: it waits for a person, however long. */
  readonly reviewPolicy: ReviewPolicy | null;
  /** Requests of the bot that one process may have without an answer. */
  readonly maxOutstanding: number;
}

/** Where a token or another secret is: never the secret itself (invariant 8). `path` is absolute. */
export type TokenSource =
  { readonly kind: 'file'; readonly path: string } | { readonly kind: 'env'; readonly variable: string };

/** Windows of each scope, all in force at once; an empty list does not pace. */
export interface BotLimits {
  readonly bot: readonly Window[];
  readonly chat: readonly Window[];
  readonly group: readonly Window[];
}

/** The part of a bot's settings that travels with its claims. */
export function lanePolicyOf(bot: BotConfig): LanePolicy {
  return {
    ...bot.limits,
    maxOutstanding: bot.maxOutstanding,
    heldPauseMs: bot.heldPauseMs,
    answerBoundMs: bot.claimLifeMs + bot.httpTimeoutMs,
  };
}
