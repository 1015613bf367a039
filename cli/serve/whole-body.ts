import { readBody } from '../../client/intake/body.ts';
import { type Refusal, refusal } from './answers.ts';

type WholeBody =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** The body of a request within bounds, or why it is refused. */
export async function readWholeBody(
  request: Request,
  limits: { readonly maxBytes: number; readonly timeoutMs: number },
): Promise<WholeBody> {
  const body = await readBody(request, limits);
  switch (body.kind) {
    case 'too_large':
      return {
        kind: 'refused',
        refusal: refusal(413, 'body', `must have at most ${limits.maxBytes} bytes`),
      };
    case 'unread':
      return { kind: 'refused', refusal: refusal(408, 'body', 'did not come to its end: send it again') };
    case 'bytes':
      return body;
  }
}
