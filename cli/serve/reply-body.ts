import type { ReplyRequest } from '../../client/index.ts';
import { readJson } from '../../config/json-text.ts';
import { fieldPath } from '../../config/problem.ts';
import { type Refusal, keyHeader, refusal } from './answers.ts';
import { readWholeBody } from './whole-body.ts';

export type BodyOfReply =
  | { readonly kind: 'request'; readonly request: ReplyRequest; readonly key: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Far more than a reply may have: see `maxContentBytes` of the client. */
const limits = { maxBytes: 1024 * 1024, timeoutMs: 10_000 };

/** Reads a reply and its key from a request. What the reply itself must be like is the client's to check. */
export async function readReply(request: Request): Promise<BodyOfReply> {
  const refuse = (...what: Parameters<typeof refusal>): BodyOfReply => ({
    kind: 'refused',
    refusal: refusal(...what),
  });
  const key = request.headers.get(keyHeader);
  // Other keys of the client are hashed; but what else a header may carry depends on every proxy on the way.
  if (key === null || !/^[\x21-\x7e]{1,200}$/.test(key))
    return refuse(
      400,
      keyHeader,
      'must be 1 to 200 printable ASCII characters without spaces that name the intention, such as upd-1044-reply',
    );
  const body = await readWholeBody(request, limits);
  return body.kind === 'refused' ? body : readFields(body.bytes, key);
}

function readFields(bytes: Uint8Array, key: string): BodyOfReply {
  const refuse = (problem: string): BodyOfReply => ({
    kind: 'refused',
    refusal: refusal(400, 'body', problem),
  });
  const text = utf8Text(bytes);
  if (text === undefined) return refuse('is not UTF-8: send JSON in UTF-8');
  const reading = readJson(text);
  if (reading.kind === 'syntax')
    return refuse(`is not valid JSON at line ${reading.line}, column ${reading.column}`);
  const { value, duplicates } = reading;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('must be an object { "bot", "chat", "text", … }');
  if (duplicates.length > 0) {
    const problems = duplicates.map((path) => ({
      field: fieldPath(path),
      problem: 'is given twice: keep one of them',
    }));
    return { kind: 'refused', refusal: { status: 422, problems } };
  }
  // Not one yet: the client tells what it lacks.
  return { kind: 'request', request: value as ReplyRequest, key };
}

function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
