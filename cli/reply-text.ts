import { printable } from '../contracts/text.ts';
import type { ServiceError } from '../domain/outcome.ts';
import type { DecisionRecord, LateProof, ReplyRecord } from '../domain/record.ts';
import { isContradicted } from '../domain/reply/late-proof.ts';

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
  if (review) return `${state} (${doubtWords(reply)}, attempt ${review.attempt}, since ${review.since})`;
  if (rejection) return `${state} (${rejection.kind}${rejection.code === null ? '' : ` ${rejection.code}`})`;
  return state;
}

/** The kind of doubt, and what has been proven since: whoever decides must not miss that. */
export function doubtWords({ review, lateProof }: ReplyRecord): string {
  return [review?.kind ?? '-', lateProof && `${lateProof.outcome} after all`].filter(Boolean).join(', ');
}

/** Text that a person or a service gave, fit for a terminal. */
export function shown(text: string): string {
  return printable(text, 1000);
}

function detailLines(reply: ReplyRecord): string[] {
  const { bot, waiting, review, rejection, message, decision, lateProof } = reply;
  const lines: string[] = [];
  if (waiting?.why === 'lane_stopped' || waiting?.why === 'lane_paused') {
    const what = waiting.why === 'lane_stopped' ? 'has stopped by itself' : 'is paused';
    lines.push(
      `  its lane ${what}: "replylane lane show ${bot}" says why, "replylane lane resume ${bot} --by NAME --reason WHY" opens it`,
    );
  }
  if (review) lines.push(`  evidence: ${shown(review.evidence)}`);
  if (rejection) lines.push(`  service says: ${shown(rejection.description)}`);
  if (message) lines.push(`  message id: ${message.message_id ?? 'not given'}`);
  if (decision) lines.push(decisionLine(decision));
  if (lateProof) lines.push(...lateProofLines(lateProof, decision));
  return lines;
}

function decisionLine({ decision, attempt, by, reason, at, door, via, seen }: DecisionRecord): string {
  // What an older version has recorded lacks the door.
  const through = [door, via].filter(Boolean).map(String).map(shown).join(', ');
  const on = seen ? `, seen as ${seen.kind}` : '';
  return `  decision: ${decision} on attempt ${attempt} by ${shown(by)}${through && ` (${through})`} at ${at}${on}: ${shown(reason)}`;
}

/** Above all where it contradicts what was decided. */
function lateProofLines(proof: LateProof, decision: DecisionRecord | null): string[] {
  const { attempt, outcome, at, messageId } = proof;
  const message = messageId === null ? '' : `, message id ${shown(String(messageId))}`;
  const line = `  late proof: attempt ${attempt} was ${outcome} after all, as a worker told at ${at}${message}`;
  if (!decision || !isContradicted(decision, proof)) return [line];
  return [line, `  CONTRADICTED: the decision "${decision.decision}" is not what happened`];
}

function attemptLines({ attempts }: ReplyRecord): string[] {
  return attempts.map(({ attempt, outcome, at, httpStatus, progress, worker, error }) => {
    const status = httpStatus === null ? '' : `, HTTP ${httpStatus}`;
    const by = worker ? `, worker ${shown(worker)}` : '';
    const line = `  attempt ${attempt}: ${outcome} at ${at} (${progress.replace('_', ' ')}${status}${by})`;
    return error ? `${line}\n    the service: ${serviceWords(error)}` : line;
  });
}

function serviceWords({ code, numericCode, message, requestId }: ServiceError): string {
  const number = numericCode === null ? '' : ` (${numericCode})`;
  const request = requestId === null ? '' : `, request ${requestId}`;
  return shown(`${code}${number}: ${message}${request}`);
}
