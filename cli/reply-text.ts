import { printable } from '../contracts/text.ts';
import type { ReplyRecord } from '../domain/record.ts';

/** A reply for people: its state and, a line each, its attempts. Never its content (invariant 8). */
export function replyText(reply: ReplyRecord): string {
  return [`${shown(reply.id)}  ${stateWords(reply)}`, ...detailLines(reply), ...attemptLines(reply)].join(
    '\n',
  );
}

/** State and the most telling detail in one cell. */
export function stateWords(reply: ReplyRecord): string {
  const { state, waiting, review, rejection } = reply;
  if (waiting) return `${state} (${waiting.why}, not before ${waiting.notBefore})`;
  if (review) return `${state} (${review.kind}, attempt ${review.attempt}, since ${review.since})`;
  if (rejection) return `${state} (${rejection.kind}${rejection.code === null ? '' : ` ${rejection.code}`})`;
  return state;
}

/** Text that a person or a service gave, fit for a terminal. */
export function shown(text: string): string {
  return printable(text, 1000);
}

function detailLines({ review, rejection, message, decision }: ReplyRecord): string[] {
  const lines: string[] = [];
  if (review) lines.push(`  evidence: ${shown(review.evidence)}`);
  if (rejection) lines.push(`  service says: ${shown(rejection.description)}`);
  if (message) lines.push(`  message id: ${message.message_id ?? 'not given'}`);
  if (decision) {
    const { attempt, by, reason, at } = decision;
    lines.push(
      `  decision: ${decision.decision} on attempt ${attempt} by ${shown(by)} at ${at}: ${shown(reason)}`,
    );
  }
  return lines;
}

function attemptLines({ attempts }: ReplyRecord): string[] {
  return attempts.map(({ attempt, outcome, at, httpStatus, progress }) => {
    const status = httpStatus === null ? '' : `, HTTP ${httpStatus}`;
    return `  attempt ${attempt}: ${outcome} at ${at} (${progress.replace('_', ' ')}${status})`;
  });
}
