import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { PayloadKeyError, type PayloadKeys, payloadCodec, payloadKeyFrom } from '../../client/index.ts';

const text = 'The code of your safe is 4711-XYZ';
const plain = defaultPayloadConverter.toPayload({ text });
const [old, next] = [randomBytes(32), randomBytes(32)];
const keysOf = (writeKey: string | null, keys: Readonly<Record<string, Uint8Array>>): PayloadKeys => ({
  writeKey,
  keys: new Map(Object.entries(keys)),
});
const before = payloadCodec(keysOf('old', { old }));
const during = payloadCodec(keysOf('next', { old, next }));
const after = payloadCodec(keysOf('next', { next }));
const read = async (codec: typeof before, payloads: Awaited<ReturnType<typeof before.encode>>) =>
  (await codec.decode(payloads)).map((payload) => defaultPayloadConverter.fromPayload(payload));

describe('the codec', () => {
  test('what it writes shows the id of the key and nothing of what it holds, and is read again', async () => {
    const written = await before.encode([plain, plain]);
    const shown = JSON.stringify(written.map(({ metadata, data }) => [metadata, Buffer.from(data ?? [])]));
    expect(shown).not.toContain(Buffer.from(text).toString('base64').slice(0, 30));
    expect(Buffer.from(written[0]?.data ?? []).includes(text)).toBe(false);
    expect(Buffer.from(written[0]?.metadata?.['encryption-key-id'] ?? []).toString()).toBe('old');
    expect(Buffer.from(written[0]?.data ?? []).equals(Buffer.from(written[1]?.data ?? []))).toBe(false);
    expect(await read(before, written)).toEqual([{ text }, { text }]);
  });

  test('after a change of keys both read, and the new one is written with', async () => {
    const written = await before.encode([plain]);
    expect(await read(during, written)).toEqual([{ text }]);
    expect(await read(after, await during.encode([plain]))).toEqual([{ text }]);
  });

  test('what is not encrypted passes, both ways where nothing is to be written with', async () => {
    expect(await read(after, [plain])).toEqual([{ text }]);
    expect(await payloadCodec().encode([plain])).toEqual([plain]);
    expect(await read(payloadCodec(keysOf(null, { old })), await before.encode([plain]))).toEqual([{ text }]);
  });

  test('a key that is not here is named, with those that are', async () => {
    const written = await before.encode([plain]);
    await expect(after.decode(written)).rejects.toThrow(PayloadKeyError);
    await expect(after.decode(written)).rejects.toThrow(/key "old".*here: "next".*encryption\.keys/);
    await expect(payloadCodec().decode(written)).rejects.toThrow(/no key is/);
  });

  test('what was changed, cut off, or written with another key of that id is refused', async () => {
    const [written] = await before.encode([plain]);
    const data = Buffer.from(written?.data ?? []);
    for (const at of [0, 12, 20, data.length - 1]) {
      const changed = Buffer.from(data);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(before.decode([{ ...written, data: changed }])).rejects.toThrow(PayloadKeyError);
    }
    for (const length of [0, 12, 27, data.length - 1]) {
      const cut = { ...written, data: data.subarray(0, length) };
      await expect(before.decode([cut])).rejects.toThrow(/"old".*was changed/);
    }
    const namesake = payloadCodec(keysOf('old', { old: next }));
    await expect(namesake.decode([{ ...written, data }])).rejects.toThrow(/another key has that id/);
  });

  test('keys that are asked for anew may change', async () => {
    let keys = keysOf('old', { old });
    const codec = payloadCodec(() => keys);
    const written = await codec.encode([plain]);
    keys = keysOf('next', { old, next });
    expect(await read(codec, written)).toEqual([{ text }]);
    expect(await read(after, await codec.encode([plain]))).toEqual([{ text }]);
  });
});

describe('the text of a key', () => {
  test('is 32 bytes in base 64, whole', () => {
    const good = old.toString('base64');
    expect(payloadKeyFrom(good)).toEqual(old);
    const short = randomBytes(16).toString('base64');
    for (const bad of [
      '',
      good.slice(0, -1),
      `${good}\n`,
      ` ${good}`,
      `${good}AAAA`,
      old.toString('hex'),
      short,
    ])
      expect(payloadKeyFrom(bad), bad.length.toString()).toBeUndefined();
  });
});
