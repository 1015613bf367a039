import type { Content, Contract } from '../contracts/contract.ts';
import type { Ask, Report } from '../domain/lane/messages.ts';
import type { Outcome, Progress } from '../domain/outcome.ts';
import type { TransportResult } from './transport.ts';

/** What one request came to, in the words of the domain. */
export interface AttemptReading {
  readonly outcome: Outcome;
  readonly progress: Progress;
  readonly httpStatus: number | null;
  readonly answeredAtMs: number;
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
      };
    }
    case 'withheld':
    case 'not_connected': {
      const outcome: Outcome = { kind: 'unreached', evidence: result.why };
      return { outcome, progress: 'not_connected', httpStatus: null, answeredAtMs: nowMs };
    }
    case 'no_answer': {
      const outcome: Outcome = { kind: 'unknown', unreadable: false, evidence: result.why };
      return { outcome, progress: 'written', httpStatus: null, answeredAtMs: nowMs };
    }
  }
}

/** What the lane must know of an attempt. */
export function reportOf(ask: Ask, chat: string, outcome: Outcome): Omit<Report, 'ageMs'> {
  const auth = outcome.kind === 'rejected' && outcome.rejection.kind === 'auth';
  const unreadable = outcome.kind === 'unknown' && outcome.unreadable;
  return {
    reply: ask.reply,
    attempt: ask.attempt,
    nonce: ask.nonce,
    chat,
    outcome: outcome.kind,
    ...(outcome.kind === 'flood' ? { retryAfterMs: outcome.retryAfterSeconds * 1000 } : {}),
    ...(outcome.kind === 'migrated' ? { movedTo: outcome.chat } : {}),
    ...(auth ? { detail: 'auth' as const } : unreadable ? { detail: 'unreadable' as const } : {}),
  };
}
