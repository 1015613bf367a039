import type { Content, Contract, ServiceAnswer } from '../contracts/contract.ts';
import { withoutSecret } from '../contracts/secret-echo.ts';
import type { Ask, Report } from '../domain/lane/messages.ts';
import {
  type AnswerOutcome,
  type Outcome,
  type Progress,
  type ServiceError,
  assertNever,
} from '../domain/outcome.ts';
import type { TransportResult } from './transport.ts';

/** What one request came to, in the words of the domain. */
export interface AttemptReading {
  readonly outcome: Outcome;
  readonly progress: Progress;
  readonly httpStatus: number | null;
  readonly answeredAtMs: number;
  readonly error: ServiceError | null;
}

/**
 * Reads how the request went: an answer by its contract, the rest by what may have been written. Nothing in it repeats the
 * bot's secret, whatever the service says (invariant 8).
 */
export function readResult(
  contract: Contract,
  content: Content,
  result: TransportResult,
  token: string,
): AttemptReading {
  const nowMs = performance.now();
  switch (result.kind) {
    case 'answered': {
      const answer = withoutToken(result.answer, token);
      const outcome = classify(contract, content, result.answer, answer);
      const { httpStatus } = result.answer;
      const cut = outcome.kind === 'unknown' && !result.complete;
      return {
        outcome: cut ? { ...outcome, evidence: `${outcome.evidence}; the answer was cut off` } : outcome,
        progress: 'answered',
        httpStatus,
        answeredAtMs: result.answeredAtMs,
        error: outcome.kind === 'sent' ? null : contract.serviceError(content, answer),
      };
    }
    case 'withheld':
    case 'not_connected': {
      const outcome: Outcome = { kind: 'unreached', evidence: result.why };
      return { outcome, progress: 'not_connected', httpStatus: null, answeredAtMs: nowMs, error: null };
    }
    case 'no_answer': {
      // An idempotency key protects whatever was sent with it, answered or not.
      const mayRepeat = contract.protection === null ? {} : { mayRepeat: true };
      const outcome: Outcome = { kind: 'unknown', unreadable: false, evidence: result.why, ...mayRepeat };
      return { outcome, progress: 'written', httpStatus: null, answeredAtMs: nowMs, error: null };
    }
  }
}

/** What the answer means; its words are taken from the one without the secret. */
function classify(
  contract: Contract,
  content: Content,
  answer: ServiceAnswer,
  shown: ServiceAnswer,
): AnswerOutcome {
  const outcome = contract.classify(content, answer);
  switch (outcome.kind) {
    case 'held':
    case 'paused':
    case 'rejected':
    case 'unknown': {
      if (answer.body === shown.body) return outcome;
      const said = contract.classify(content, shown);
      if (said.kind === outcome.kind) return said;
      // The secret is a part of what the answer says: it cannot be shown, so a person must look.
      return { kind: 'unknown', unreadable: true, evidence: 'an answer that repeats the secret of the bot' };
    }
    case 'sent':
    case 'flood':
    case 'migrated':
      return outcome;
    default:
      return assertNever(outcome);
  }
}

/** A shape does not tell every secret: this one is known, as it is and as it stands in a URL. */
function withoutToken(answer: ServiceAnswer, token: string): ServiceAnswer {
  const body = withoutSecret(answer.body, token);
  return body === answer.body ? answer : { ...answer, body };
}

/** What the lane must know of an attempt. */
export function reportOf(ask: Ask, chat: string, outcome: Outcome): Omit<Report, 'ageMs'> {
  const auth = outcome.kind === 'rejected' && outcome.rejection.kind === 'auth';
  const unreadable = outcome.kind === 'unknown' && outcome.unreadable;
  const noFlood = outcome.kind === 'held' && outcome.isFlood === false;
  const detail = auth ? 'auth' : unreadable ? 'unreadable' : noFlood ? 'no_flood' : undefined;
  return {
    reply: ask.reply,
    attempt: ask.attempt,
    nonce: ask.nonce,
    chat,
    outcome: outcome.kind,
    ...(outcome.kind === 'flood' ? { retryAfterMs: outcome.retryAfterSeconds * 1000 } : {}),
    ...(outcome.kind === 'migrated' ? { movedTo: outcome.chat } : {}),
    ...(detail === undefined ? {} : { detail }),
    ...(outcome.kind === 'unknown' && outcome.mayRepeat === true ? { keepsPlace: true } : {}),
  };
}
