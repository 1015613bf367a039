import type { AttemptRecord, ReplyRecord } from '../record.ts';
import { isContradicted } from './late-proof.ts';

/** What the Web UI shows goes through a URL: more than two kilobytes would not arrive. */
const maxLength = 1800;
const shownAttempts = 8;
const maxWords = 240;

/**
 * A reply in Markdown, for the Web UI's page of its workflow: its state, what it waits for, and for a review the evidence
 * and the message that decides it. Never the content (invariant 8); foreign words cannot become markup.
 */
export function replyDetails(reply: ReplyRecord): string {
  const lines = [`**${reply.state}**${reply.waiting ? `: ${waitWords(reply)}` : ''}`, ...reviewLines(reply)];
  if (reply.rejection)
    lines.push(`Refused by the service (${reply.rejection.kind}): ${plain(reply.rejection.description)}`);
  if (reply.decision) {
    const { decision, by, at, reason } = reply.decision;
    lines.push(`Decided: **${decision}** by ${plain(by)} at ${at}: ${plain(reason)}`);
    if (reply.lateProof && isContradicted(reply.decision, reply.lateProof))
      lines.push('**Contradicted**: the decision is not what happened, see below.');
  }
  if (reply.lateProof) {
    const { attempt, outcome, at } = reply.lateProof;
    lines.push(`Attempt ${attempt} was **${outcome}** after all, as a worker told at ${at}.`);
  }
  lines.push(attemptTable(reply.attempts));
  return lines.filter(Boolean).join('\n\n').slice(0, maxLength);
}

function waitWords({ waiting }: ReplyRecord): string {
  return waiting ? `${waiting.why.replaceAll('_', ' ')}, not before ${waiting.notBefore}` : '';
}

function reviewLines({ review, lateProof }: ReplyRecord): string[] {
  if (!review) return [];
  const choices =
    review.isFinal || lateProof?.outcome === 'sent'
      ? 'sent, not_sent, cancel'
      : 'sent, not_sent, cancel, resend';
  return [
    `Since ${review.since}, about attempt ${review.attempt}: **${review.kind}**. ${plain(review.evidence)}`,
    `To decide, send the Update \`decideReply\` (with no worker up the Signal \`decide\`), one of ${choices}; \`resend\` may send it twice:`,
    `\`{"attempt":${review.attempt},"decision":"…","by":"your name","reason":"what you saw"}\``,
  ];
}

function attemptTable(attempts: readonly AttemptRecord[]): string {
  if (attempts.length === 0) return '';
  const rows = attempts
    .slice(-shownAttempts)
    .map(
      ({ attempt, outcome, at, progress, httpStatus }) =>
        `| ${attempt} | ${outcome} | ${at} | ${progress.replace('_', ' ')} | ${httpStatus ?? ''} |`,
    );
  return ['| attempt | outcome | at | how far | HTTP |', '| --- | --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

/** Words of people and services: on one line, and no links, headings or pictures. */
function plain(words: string): string {
  return words
    .slice(0, maxWords)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]()<>#|!~]/g, '\\$&')
    .replace(/:\/\//g, ':\u200B//');
}
