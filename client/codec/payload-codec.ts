import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { PayloadKeyError, type PayloadKeys, noPayloadKeys } from './payload-keys.ts';

const { Payload: PayloadMessage } = proto.temporal.api.common.v1;
const cipherName = 'aes-256-gcm';
const encoding = 'binary/encrypted';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts payloads with AES-256-GCM; the id of the key stands beside each. What is not encrypted passes on decoding, so
 * that histories from before, and starts from elsewhere, go on. Reads with each of the keys and writes with one: keys are
 * changed by adding the new one everywhere, then writing with it. `keys` is asked at each use, so that they may change.
 * Decoding throws a `PayloadKeyError` that names the key that is not here.
 */
export function payloadCodec(keys: PayloadKeys | (() => PayloadKeys) = noPayloadKeys): PayloadCodec {
  const current = typeof keys === 'function' ? keys : () => keys;
  return {
    async encode(payloads) {
      const { writeKey, keys: known } = current();
      if (writeKey === null) return payloads;
      const key = known.get(writeKey);
      if (!key) throw new PayloadKeyError(`the payload key "${writeKey}" to write with is not here`);
      return payloads.map((payload) => encrypted(payload, writeKey, key));
    },
    async decode(payloads) {
      return payloads.map((payload) => (isEncrypted(payload) ? decrypted(payload, current()) : payload));
    },
  };
}

function isEncrypted({ metadata }: Payload): boolean {
  const named = metadata?.['encoding'];
  return named !== undefined && named !== null && Buffer.from(named).toString() === encoding;
}

function encrypted(payload: Payload, keyId: string, key: Uint8Array): Payload {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(cipherName, key, nonce);
  const plain = PayloadMessage.encode(payload).finish();
  const data = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return {
    metadata: {
      encoding: Buffer.from(encoding),
      'encryption-cipher': Buffer.from('AES-GCM'),
      'encryption-key-id': Buffer.from(keyId),
    },
    data,
  };
}

function decrypted({ metadata, data }: Payload, { keys }: PayloadKeys): Payload {
  const keyId = Buffer.from(metadata?.['encryption-key-id'] ?? []).toString();
  const shown = JSON.stringify(keyId.slice(0, 80));
  const key = keys.get(keyId);
  if (!key) {
    const known = [...keys.keys()].map((id) => `"${id}"`).join(', ');
    throw new PayloadKeyError(
      `a payload is encrypted with the key ${shown}, which is not here (${known === '' ? 'no key is' : `here: ${known}`}): ` +
        'add it to encryption.keys of the configuration',
    );
  }
  const bytes = Buffer.from(data ?? []);
  try {
    if (bytes.length < nonceBytes + tagBytes) throw new Error('too short');
    const decipher = createDecipheriv(cipherName, key, bytes.subarray(0, nonceBytes));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    const plain = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    const { metadata: was, data: of } = PayloadMessage.decode(plain);
    return { metadata: was, data: of };
  } catch {
    throw new PayloadKeyError(
      `a payload cannot be decrypted with the key ${shown}: it was changed, or another key has that id`,
    );
  }
}
