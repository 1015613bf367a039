import type { Content, Contract } from '../contracts/contract.ts';
import type { Ask, Report } from '../domain/lane/messages.ts';
import type { Outcome, Progress, ServiceError } from '../domain/outcome.ts';
import type { TransportResult } from './transport.ts';

/** What one request came to, in the words of the domain. */
export interface AttemptReading {
  readonly outcome: Outcome;
  readonly progress: Progress;
  readonly httpStatus: number | null;
  readonly answeredAtMs: number;
  readonly error: ServiceError | null;
}

/** Reads how the request went: an answer by its contract, the rest by what may have been written. */
export function readResult(contract: Contract, content: Content, result: TransportResult): AttemptReading {
  const nowMs = performance.now();
  switch (result.kind) {
    case 'answered': {
      const outcome = contract.classify(content, result.answer);
      const { httpStatus } = result.answer;
      const cut = outcome.kind === 'unknown' && !result.complete;
      return {
        outcome: cut ? { ...outcome, evidence: `${outcome.evidence}; the answer was cut off` } : outcome,
        progress: 'answered',
        httpStatus,
        answeredAtMs: result.answeredAtMs,
        error: outcome.kind === 'sent' ? null : contract.serviceError(content, result.answer),
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
