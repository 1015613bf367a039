import type { RawAnswer } from './delivery.ts';
import { makesMessage } from './method-result.ts';

/** A call as the fake Qivuna judges it. */
export interface QivunaCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>> | null;
  readonly chat: string | null;
  readonly text: string | null;
}

/** The form of a failure. Where its parts stand is not documented: this is one of the forms that the contract reads. */
export function failureBody(
  code: string,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): object {
  return { ok: false, error: { code, message, ...more } };
}

export function failureAnswer(
  status: number,
  code: string,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): RawAnswer {
  return { status, headers: {}, body: JSON.stringify(failureBody(code, message, more)) };
}

/** The delay counts down truthfully, and is never less than what is left of the wait. */
export function floodAnswer(restMs: number): RawAnswer {
  const seconds = Math.max(1, Math.ceil(restMs / 1000));
  return failureAnswer(429, 'rate_limited', 'Too many requests', { retry_after: seconds });
}

/** The whole successful answer; the chat's id keeps its digits. */
export function successAnswer({ method, chat }: QivunaCall, messageId: number): RawAnswer {
  const date = Math.floor(Date.now() / 1000);
  const message = `{"message_id":${messageId},"chat":{"id":${chat ?? 0}},"date":${date}}`;
  return {
    status: 200,
    headers: {},
    body: `{"ok":true,"result":${makesMessage(method) ? message : 'true'}}`,
  };
}

/** Why the service would not take a key; null where it would. */
export function keyRefusal(key: string): RawAnswer | null {
  if (/^[\x21-\x7e]{1,64}$/.test(key)) return null;
  const words = 'must be 1 to 64 printable ASCII characters without spaces';
  return failureAnswer(400, 'bad_request', words, { parameter: 'Idempotency-Key' });
}

/** Why the service would not carry out a call; null where it would. */
export function callRefusal({ method, params, chat, text }: QivunaCall): RawAnswer | null {
  if (params === null) return failureAnswer(400, 'bad_request', 'The body is no JSON object');
  if (!makesMessage(method)) return null;
  if (chat === null || !/^-?\d+$/.test(chat))
    return failureAnswer(400, 'bad_request', 'must be a number', { parameter: 'chat_id' });
  if (method === 'sendMessage' && (text ?? '').trim() === '')
    return failureAnswer(400, 'bad_request', 'is empty', { parameter: 'text' });
  return null;
}

/** Method and parameters in one form, so that the order of fields makes no other request. */
export function requestForm({ method, params, chat }: QivunaCall): string {
  // The chat stands for itself: as a number beyond 2^53 it would be rounded.
  const { chat_id: _, ...rest } = params ?? {};
  return JSON.stringify([method, chat, rest], (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** The delay that a 429 announces, wherever it stands; null where there is none that can be used. */
export function announcedSeconds({ status, body }: RawAnswer): number | null {
  if (status !== 429) return null;
  try {
    const { error, parameters, retry_after } = JSON.parse(body) as AnyFailure;
    const seconds = error?.retry_after ?? parameters?.retry_after ?? retry_after;
    return typeof seconds === 'number' && Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : null;
  } catch {
    return null;
  }
}

interface AnyFailure {
  readonly error?: { readonly retry_after?: unknown };
  readonly parameters?: { readonly retry_after?: unknown };
  readonly retry_after?: unknown;
}
