import type { ServiceAnswer } from './contract.ts';
import { own } from './json-fields.ts';
import { countUtf8Bytes } from './text.ts';

// Without digits and most signs, so that no token and no part of a message passes for one.
const mediaType = /^[a-z]{1,20}\/[a-z][a-z.+-]{0,39}$/i;

/** A body that is not of the service, in words: it is described, never quoted (invariant 8). */
export function bodyWord({ headers, body }: ServiceAnswer): string {
  if (body === '') return 'empty body';
  const header = own(headers, 'content-type');
  const type = typeof header === 'string' ? (header.split(';', 1)[0] ?? '').trim() : '';
  const word = mediaType.test(type) ? type : type === '' ? 'no content type' : 'another content type';
  return `${word}, ${countUtf8Bytes(body)} bytes`;
}
