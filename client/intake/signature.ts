import { createHmac } from 'node:crypto';
import { sameSecret } from './secret.ts';

/** What is signed: the bytes as they came, with the time in front. */
export interface Signed {
  readonly timestamp: string;
  readonly body: Uint8Array;
}

/** UnifyPort's signature: HMAC-SHA256 of the timestamp, a dot and the raw body, in lower-case hex. */
export function signatureOf(signingSecret: string, { timestamp, body }: Signed): string {
  return createHmac('sha256', signingSecret).update(`${timestamp}.`, 'utf8').update(body).digest('hex');
}

/** Whether a signature is that of these bytes, in a time that tells nothing about the right one. */
export function isSignatureOf(signature: string, signingSecret: string, signed: Signed): boolean {
  return signingSecret !== '' && sameSecret(signature, signatureOf(signingSecret, signed));
}

/** Whether a text has the form of a signature at all: what has not need not be read any further. */
export function isSignatureText(text: string | null): text is string {
  return text !== null && /^[0-9a-f]{64}$/.test(text);
}

const rfc3339 =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** Whether a text is an instant of RFC 3339. How long ago is not asked: a redelivery may be as late as the service likes. */
export function isTimestampText(text: string | null): text is string {
  return text !== null && rfc3339.test(text);
}
