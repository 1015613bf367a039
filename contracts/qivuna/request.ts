import type { Content, RequestOptions, ServiceRequest } from '../contract.ts';
import { readChatId } from './chat-id.ts';
import { idempotencyKey } from './idempotency-key.ts';

/** The request that sends checked content: the same bytes for the same content, as its idempotency key demands. */
export function requestOf(content: Content, { apiRoot, token, key }: RequestOptions): ServiceRequest {
  return {
    url: `${apiRoot.replace(/\/+$/, '')}/v1/${content.method}`,
    headers: {
      authorization: `Bot ${token}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey(key),
    },
    body: bodyOf(content),
  };
}

/** Written field by field, since JSON.stringify has no number for an id beyond 2^53. */
function bodyOf({ params }: Content): string {
  const fields = Object.entries(params).map(
    ([name, value]) =>
      `${JSON.stringify(name)}:${name === 'chat_id' ? exactDigits(value) : JSON.stringify(value)}`,
  );
  return `{${fields.join(',')}}`;
}

function exactDigits(value: unknown): string {
  const reading = readChatId(value);
  return reading.kind === 'chat' ? reading.chat : JSON.stringify(value);
}
