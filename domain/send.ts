import type { ClaimMark, RefusedWhy, ReplyClass, RevokeAnswer, WaitWhy } from './lane/messages.ts';
import type { Outcome, OutcomeKind, Progress, ServiceError } from './outcome.ts';
import type { ReplyInput } from './reply-input.ts';

/** Argument of the `sendMessage` activity: one run of it is at most one request (invariant 4). */
export interface SendInput {
  readonly bot: string;
  readonly key: string;
  readonly content: ReplyInput['content'];
  /** Destination after a migration; else null, and the content's own. */
  readonly chat: string | null;
  /** Counts the activity runs of the reply, from 1. */
  readonly run: number;
  /** The number that the attempt gets in the reply's record, if this run makes one. Absent from older workflows. */
  readonly attempt?: number;
  /** Started without the memo that our starts carry, so an earlier run of the Workflow Id must be looked for. */
  readonly bare?: boolean;
  /** The Run Id of the reply's first run: only that one may send (rule 6). */
  readonly firstRunId: string;
  readonly class: ReplyClass;
  readonly after?: string;
  readonly startedAtMs: number;
  readonly expiresAtMs?: number;
  /** A person allowed it to be sent past its expiry. */
  readonly allowExpired?: boolean;
  readonly ticketMs?: number;
  readonly heldSinceMs?: number;
  readonly known?: { readonly epoch: string; readonly notBeforeMs: number };
  /** The earliest attempt that may have arrived, where this run repeats it under its idempotency key. */
  readonly doubt?: ClaimMark;
}

/** What one run of the activity came to. Expected outcomes are values: the activity throws only what nobody expects. */
export type SendResult = SendFinding & {
  /** The worker has made sure that the namespace knows our search attributes, so a workflow may set them. */
  readonly attributes: boolean;
  /** The bot's budgets where they differ from the defaults. */
  readonly budgets?: Budgets;
};

export type SendFinding =
  /** The lane said wait, or the process has no room: not an attempt. */
  | {
      readonly kind: 'postponed';
      readonly why: WaitWhy;
      /** From when the activity returned. */
      readonly waitMs: number;
      /** The lane's clock at that moment. Absent where no lane was asked, and from older workers. */
      readonly asOfMs?: number;
      /** The same on the lane's clock; the ticket to show next time. Null where no lane was asked. */
      readonly ticketMs: number | null;
      readonly heldSinceMs?: number;
      readonly known?: { readonly epoch: string; readonly notBeforeMs: number };
      readonly chat: string;
    }
  /** The lane refused the claim: nothing was sent by this run. */
  | { readonly kind: 'refused'; readonly why: RefusedWhy }
  /** The run of the workflow was made by a reset: what the run before it sent is not in its history. */
  | { readonly kind: 'reset' }
  /** The Workflow Id was run before, and started again by hand: what the run before it sent is not in this one's history. */
  | { readonly kind: 'restarted'; readonly evidence: string }
  /** No worker here has the bot's secret. */
  | { readonly kind: 'no_token'; readonly why: string }
  /** The content cannot be sent to this service: nothing was asked. */
  | { readonly kind: 'bad_content'; readonly problem: string }
  /** One claim was granted, and this followed. */
  | {
      readonly kind: 'attempted';
      readonly outcome: Outcome;
      readonly progress: Progress;
      readonly httpStatus: number | null;
      readonly worker: string;
      readonly chat: string;
      /** With a flood: its deadline on the lane's clock, and the lane. */
      readonly known?: { readonly epoch: string; readonly notBeforeMs: number };
      /** Where the claim stands, at services with idempotency keys. */
      readonly mark?: ClaimMark;
      readonly error?: ServiceError;
    };

/**
 * What the lane says of a run that returned nothing, and which worker had it, where the history tells. A `mark` only where
 * the contract of the bot's service protects a repetition.
 */
export type LostRunAnswer = RevokeAnswer & { readonly worker?: string };

/** How an activity run ended that returned nothing. */
export type SendLoss =
  /** It never started, or was withdrawn before it asked: nothing was sent. */
  | { readonly kind: 'not_started' }
  /** The lane has taken the attempt back before it was claimed (rule 4 of the fence). */
  | { readonly kind: 'never_claimed' }
  /** It was claimed, and what followed is not known; `reported` is what the lane was told. */
  | {
      readonly kind: 'claimed';
      readonly reported: OutcomeKind | null;
      readonly why: string;
      readonly worker?: string;
      /** Where the claim stands: the same request may be repeated under its idempotency key. */
      readonly mark?: ClaimMark;
      /** What the lane was told is kept as a late proof. Absent from histories of older workers. */
      readonly isProof?: boolean;
    }
  /** The lane cannot know any more. */
  | { readonly kind: 'lost'; readonly why: string; readonly worker?: string };

/** What is decided on a review that nobody has decided for so long. Never `resend`: that may send twice (invariant 5). */
export interface ReviewPolicy {
  readonly afterHours: number;
  readonly decision: 'sent' | 'not_sent' | 'cancel';
}

/** When a reply goes to review instead of trying on, and for how long a review waits for a person. */
export interface Budgets {
  readonly attempts: number;
  readonly floods: number;
  readonly ageMs: number;
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
  /** Least time between two attempts of one reply. */
  readonly attemptGapMs: number;
  /** Expiry of a reply that names none, counted from its start. */
  readonly expiresAfterMs: number | null;
  /** Absent where a review waits for a person, however long. */
  readonly reviewPolicy?: ReviewPolicy;
}

export const defaultBudgets: Budgets = {
  attempts: 10,
  floods: 100,
  ageMs: 86_400_000,
  backoffMinMs: 1000,
  backoffMaxMs: 60_000,
  attemptGapMs: 1000,
  expiresAfterMs: null,
};
