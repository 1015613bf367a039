import type { FakeAccount } from './unifyport-accounts.ts';
import { failureBody } from './unifyport-steps.ts';

/** What the fake reads in a request's body; null where a field is not there or of another type. */
export interface UnifyportRequest {
  readonly params: Readonly<Record<string, unknown>>;
  readonly account: string | null;
  /** `<type>:<id>`, exactly as given. */
  readonly chat: string | null;
  readonly text: string | null;
}

/** Null when the body is not a JSON object. */
export function readUnifyportRequest(body: string): UnifyportRequest | null {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const params = value as Readonly<Record<string, unknown>>;
  const id = textAt(params, 'to', 'id');
  const type = textAt(params, 'to', 'type');
  return {
    params,
    account: textAt(params, 'account_id'),
    chat: id === null || type === null ? null : `${type}:${id}`,
    text: textAt(params, 'message', 'text'),
  };
}

export interface Refusal {
  readonly status: number;
  readonly body: object;
}

/** The service's refusal of a request with a valid key; null when it is acceptable. `owned`: the key's accounts. */
export function refusalOf(request: UnifyportRequest | null, owned: readonly FakeAccount[]): Refusal | null {
  if (request === null) return refusal(400, 'invalid_request', 40001, 'the body is not a JSON object');
  const { params, account: accountId, text } = request;
  if (accountId === null || accountId === '')
    return refusal(400, 'invalid_request', 40001, 'account_id is required');
  const account = owned.find(({ id }) => id === accountId);
  if (account === undefined) return refusal(409, 'account_binding_not_found', 40901, 'not bound');
  if (!textAt(params, 'to', 'id')) return refusal(400, 'invalid_request', 40001, 'to.id is required');
  const type = textAt(params, 'to', 'type');
  if (type === null) return refusal(400, 'invalid_request', 40001, 'to.type is required');
  if (!['user', 'group', 'channel'].includes(type))
    return refusal(400, 'invalid_conversation_type', 40004, 'to.type is not valid');
  if (textAt(params, 'message', 'type') !== 'text')
    return refusal(400, 'unsupported_message_type', 40002, 'message.type is not supported');
  if (text === null || text.trim() === '')
    return refusal(400, 'invalid_request', 40001, 'message.text is required');
  if (params['reply_to'] === undefined) return null;
  if (account.provider !== 'whatsapp')
    return refusal(501, 'unsupported_by_provider', 50101, 'replies are not supported');
  return textAt(params, 'reply_to', 'reply_token')
    ? null
    : refusal(400, 'invalid_reply_token', 40003, 'reply_to.reply_token is required');
}

export function refusal(status: number, code: string, numericCode: number, message: string): Refusal {
  return { status, body: failureBody(code, { numericCode, message }) };
}

function textAt(fields: Readonly<Record<string, unknown>>, ...path: readonly string[]): string | null {
  let value: unknown = fields;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return typeof value === 'string' ? value : null;
}
