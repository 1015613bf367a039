import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { PayloadKeyError } from './errors.ts';

/** Keys of 32 bytes under their ids: one to write with, all to read with. */
export interface PayloadKeys {
  /** Null: what is written stays plain. */
  readonly writeWith: string | null;
  readonly keys: ReadonlyMap<string, Uint8Array>;
}

export const payloadKeyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const encoding = 'binary/encrypted';
const cipher = 'aes-256-gcm';
/** In the metadata, in the clear: by it the reader finds the key. */
const keyIdField = 'encryption-key-id';
const { Payload: Wire } = proto.temporal.api.common.v1;

/**
 * Encrypts what stands in Temporal: inputs, results, memos and messages, not ids, search attributes and times. What was
 * not encrypted passes when it is read, so that it can be turned on while replies wait and apps in other languages start
 * replies by name. Reading throws a `PayloadKeyError` where the key is not here or the payload was changed.
 */
export function payloadCodec({ writeWith, keys }: PayloadKeys): PayloadCodec {
  for (const [id, key] of keys) {
    if (key.length !== payloadKeyBytes)
      throw new PayloadKeyError(
        `the payload key "${id}" has ${key.length} bytes: it must have ${payloadKeyBytes}`,
      );
  }
  const writeKey = writeWith === null ? undefined : keys.get(writeWith);
  if (writeWith !== null && writeKey === undefined)
    throw new PayloadKeyError(`the payload key "${writeWith}", to write with, is not among the keys`);
  return {
    encode: async (payloads) =>
      writeWith === null || writeKey === undefined
        ? payloads
        : payloads.map((payload) => encrypted(payload, writeWith, writeKey)),
    decode: async (payloads) => payloads.map((payload) => decrypted(payload, keys)),
  };
}

function encrypted(payload: Payload, id: string, key: Uint8Array): Payload {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce);
  const sealed = [sealing.update(Wire.encode(payload).finish()), sealing.final()];
  return {
    metadata: { encoding: Buffer.from(encoding), [keyIdField]: Buffer.from(id) },
    data: Buffer.concat([nonce, ...sealed, sealing.getAuthTag()]),
  };
}

function decrypted(payload: Payload, keys: ReadonlyMap<string, Uint8Array>): Payload {
  if (textOf(payload.metadata?.['encoding']) !== encoding) return payload;
  const id = textOf(payload.metadata?.[keyIdField]);
  const key = keys.get(id);
  if (key === undefined)
    throw new PayloadKeyError(
      `a payload is encrypted with the key ${JSON.stringify(id.slice(0, 64))}, which is not here: ` +
        'add it under encryption.keys of the configuration; nothing is lost meanwhile',
    );
  try {
    const data = payload.data ?? new Uint8Array();
    const opening = createDecipheriv(cipher, key, data.subarray(0, nonceBytes), { authTagLength: tagBytes });
    opening.setAuthTag(data.subarray(-tagBytes));
    const plain = [opening.update(data.subarray(nonceBytes, -tagBytes)), opening.final()];
    return Wire.decode(Buffer.concat(plain));
  } catch (error) {
    throw new PayloadKeyError(
      `a payload does not open with the key ${JSON.stringify(id)}: another key stands under that id, or the payload was changed`,
      { cause: error },
    );
  }
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}
