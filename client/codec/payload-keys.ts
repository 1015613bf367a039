import { ReplylaneError } from '../errors.ts';

/** The keys that payloads are encrypted with, each under its id; the ids stand in histories, the keys never do. */
export interface PayloadKeys {
  /** Id of the key that new payloads are written with; null: they are written as they are. */
  readonly writeKey: string | null;
  /** 32 bytes each. All of them read. */
  readonly keys: ReadonlyMap<string, Uint8Array>;
}

/** A payload cannot be read here. Nothing is lost: it can be, once its key is here. */
export class PayloadKeyError extends ReplylaneError {}

export const payloadKeyBytes = 32;

export const noPayloadKeys: PayloadKeys = { writeKey: null, keys: new Map() };

/** The key that a text holds in base 64, as `openssl rand -base64 32` writes it; undefined for any other text. */
export function payloadKeyFrom(text: string): Uint8Array | undefined {
  const key = Buffer.from(text, 'base64');
  // Buffer passes over what is no base 64, and takes what was cut off.
  return key.length === payloadKeyBytes && key.toString('base64') === text ? key : undefined;
}
