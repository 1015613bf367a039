import { isDeepStrictEqual } from 'node:util';
import type { ReplyRecord } from '../../client/index.ts';
import type { Content } from '../../contracts/contract.ts';
import type { Case, Received } from './foreign-server.ts';

/** What became of one case. */
export interface Outcome {
  readonly of: Case;
  readonly content: Content;
  readonly token: string;
  /** The record once the reply had ended or was under review. */
  readonly settled: ReplyRecord;
  /** The record at the end; another one where a person has decided. */
  readonly final: ReplyRecord;
  /** How often the server had exactly this, right after. */
  readonly times: number;
}

/** How often a server has what was sent, with the very same parameters. */
export function timesReceived(received: readonly Received[], content: Content, token: string): number {
  return received.filter((one) => isSame(one, content, token)).length;
}

/** Calls that nobody meant to make. */
export function strayCalls(
  received: readonly Received[],
  outcomes: readonly Pick<Outcome, 'content' | 'token'>[],
): number {
  return received.filter((one) => !outcomes.some(({ content, token }) => isSame(one, content, token))).length;
}

function isSame(received: Received, content: Content, token: string): boolean {
  const isToken = received.token === null || received.token === token;
  return isToken && isDeepStrictEqual(received.content, content);
}

/** Whether what was handed over to one chat came in that order. Calls that are not of `sent` are passed over. */
export function isInOrder(
  received: readonly Received[],
  sent: readonly { readonly content: Content }[],
): boolean {
  const latest = new Map<unknown, number>();
  return received.every((one) => {
    const place = sent.findIndex(({ content }) => isDeepStrictEqual(one.content, content));
    if (place < 0) return true;
    const chat = one.content.params['chat_id'];
    const isLater = place > (latest.get(chat) ?? -1);
    latest.set(chat, place);
    return isLater;
  });
}

/** What is otherwise than the case says, in words; empty where nothing is. */
export function problemsOf({ of, settled, final, times }: Outcome): readonly string[] {
  const { expected } = of;
  const problems: string[] = [];
  const expect = (isMet: boolean, words: string): void => {
    if (!isMet) problems.push(`${of.key}: ${words}`);
  };
  expect(settled.state === expected.state, `is ${settled.state}, not ${expected.state}`);
  expect(settled.attempts.length === 1, `took ${settled.attempts.length} attempts, not 1`);
  const wanted = isLeft(of) ? 1 : 0;
  expect(times === wanted, `the server has it ${times} times, not ${wanted}`);
  switch (expected.state) {
    case 'sent':
      expect(settled.message?.message_id !== null, 'has no message id');
      break;
    case 'rejected':
      expect(settled.rejection?.kind === 'request', `was refused as ${settled.rejection?.kind ?? 'nothing'}`);
      expect(settled.rejection?.description === expected.description, 'was refused in other words');
      break;
    case 'review':
      expect(settled.review?.kind === 'unknown', `is under review as ${settled.review?.kind ?? 'nothing'}`);
      expect(expected.evidence.test(settled.review?.evidence ?? ''), 'has other evidence');
      expect(final.state === expected.decision, `was decided, and is ${final.state}`);
      break;
  }
  return problems;
}

/** Whether the server has it afterwards: what it took, and what a person who looks there finds. */
function isLeft({ expected }: Case): boolean {
  return expected.state === 'sent' || (expected.state === 'review' && expected.decision === 'sent');
}
