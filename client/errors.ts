import type { ReplyRecord } from '../domain/record.ts';
import type { InputProblem } from '../domain/reply-input.ts';

/** What the client throws. An unknown outcome is never among them: that is a state of the reply (`review`). */
export class ReplylaneError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The same bot and key with other content; the first reply is untouched (invariant 1). */
export class ReplyConflictError extends ReplylaneError {}
/** No reply of that bot and key is known in the namespace (any more). */
export class ReplyNotFoundError extends ReplylaneError {}
/** No bulk decision of that id is known in the namespace (any more). */
export class BulkDecisionNotFoundError extends ReplylaneError {}
/** The bot's lane has not been started, and this client does not know the bot. */
export class LaneNotFoundError extends ReplylaneError {}
/** Temporal answered, but no worker did. */
export class NoWorkerError extends ReplylaneError {}
/** Temporal did not answer, or refused this client. A send that met it is safe to repeat with the same key. */
export class TemporalUnreachableError extends ReplylaneError {}
/** The `TEMPORAL_*` settings cannot be used. */
export class ConnectionSettingsError extends ReplylaneError {}

/** What was handed over is wrong: all problems at once. Nothing was started or changed. */
export class ReplyInputError extends ReplylaneError {
  readonly problems: readonly InputProblem[];

  constructor(what: string, problems: readonly InputProblem[]) {
    super([`${what}:`, ...problems.map(({ field, problem }) => `  ${field}: ${problem}`)].join('\n'));
    this.problems = problems;
  }
}

/** The reply is no longer as the request supposed; `reply` is how it is now, as far as that is known. */
export class ReplyRefusedError extends ReplylaneError {
  readonly reply: ReplyRecord | null;

  constructor(message: string, reply: ReplyRecord | null) {
    super(message);
    this.reply = reply;
  }
}

/** The reply's workflow ended without a state: terminated by hand, or failed. `lastKnown` is what was saved before. */
export class ReplyLostError extends ReplylaneError {
  readonly lastKnown: ReplyRecord | null;

  constructor(message: string, lastKnown: ReplyRecord | null) {
    super(message);
    this.lastKnown = lastKnown;
  }
}
