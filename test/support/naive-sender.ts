import { setTimeout as pause } from 'node:timers/promises';
import { assertLoopback } from './loopback.ts';

/**
 * The control: a sender as most bots have one. It fires replies as fast as it is asked to, with no pacing, no shared
 * cooldown and no notion of an unknown outcome. A judge that does not catch it proves nothing about a better sender.
 */
export interface NaiveOptions {
  readonly apiRoot: string;
  readonly token: string;
  /** Requests at a time. */
  readonly concurrency: number;
  /** What it does after a 429; whatever the service asked for. */
  readonly afterFlood: 'give_up' | { readonly retryAfterMs: number };
  /** What it does after a time-out, a broken connection or an answer it cannot read. */
  readonly afterNoAnswer: 'give_up' | 'resend';
  readonly timeoutMs?: number;
  readonly maxRequestsPerReply?: number;
}

export interface NaiveReply {
  /** A string is sent as JSON digits, not as a JSON string, when it is a number. */
  readonly chat: string | number;
  readonly text: string;
}

export interface NaiveResult {
  readonly sent: boolean;
  readonly requests: number;
}

/** Sends all replies, in their order as far as `concurrency` keeps it. Resolves when each was sent or given up. */
export async function sendNaively(
  replies: readonly NaiveReply[],
  options: NaiveOptions,
): Promise<readonly NaiveResult[]> {
  assertLoopback(options.apiRoot);
  const results: NaiveResult[] = [];
  const queue = replies.entries();
  const runOne = async (): Promise<void> => {
    for (const [i, reply] of queue) results[i] = await sendOne(reply, options);
  };
  await Promise.all(Array.from({ length: options.concurrency }, runOne));
  return results;
}

async function sendOne(reply: NaiveReply, options: NaiveOptions): Promise<NaiveResult> {
  const { afterFlood, afterNoAnswer, maxRequestsPerReply = 5 } = options;
  for (let requests = 1; ; requests += 1) {
    const status = await post(reply, options);
    const isLast = requests >= maxRequestsPerReply;
    if (status === 200) return { sent: true, requests };
    if (status === 429 && afterFlood !== 'give_up' && !isLast) await pause(afterFlood.retryAfterMs);
    else if (status !== null || afterNoAnswer === 'give_up' || isLast) return { sent: false, requests };
  }
}

/** Status of a readable answer, otherwise null. */
async function post({ chat, text }: NaiveReply, options: NaiveOptions): Promise<number | null> {
  const { apiRoot, token, timeoutMs = 5_000 } = options;
  const chatId = /^-?\d+$/.test(String(chat)) ? String(chat) : JSON.stringify(chat);
  try {
    const response = await fetch(`${apiRoot}/bot${token}/sendMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"chat_id":${chatId},"text":${JSON.stringify(text)}}`,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.json();
    return response.status;
  } catch {
    return null;
  }
}
