import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { PayloadKeyError, payloadCodec } from '../../client/index.ts';

const [a, b] = [randomBytes(32), randomBytes(32)];
const plain = defaultPayloadConverter.toPayload({ text: 'a secret' });
const value = (payload: object | undefined): unknown => defaultPayloadConverter.fromPayload(payload as never);

describe('the payload codec', () => {
  test('hides the text, and gives it back', async () => {
    const codec = payloadCodec({ writeWith: 'a', keys: new Map([['a', a]]) });
    const [sealed] = await codec.encode([plain]);
    expect(Buffer.from(sealed?.data ?? []).toString('latin1')).not.toContain('secret');
    expect(value((await codec.decode(sealed ? [sealed] : []))[0])).toEqual({ text: 'a secret' });
  });

  test('the same text is never the same twice', async () => {
    const codec = payloadCodec({ writeWith: 'a', keys: new Map([['a', a]]) });
    const [one, two] = await codec.encode([plain, plain]);
    expect(one?.data).not.toEqual(two?.data);
  });

  test('what was not encrypted passes', async () => {
    const codec = payloadCodec({ writeWith: 'a', keys: new Map([['a', a]]) });
    expect(await codec.decode([plain])).toEqual([plain]);
  });

  test('after a rotation the old is read, and the new written', async () => {
    const old = payloadCodec({ writeWith: 'a', keys: new Map([['a', a]]) });
    const rotated = payloadCodec({
      writeWith: 'b',
      keys: new Map([
        ['a', a],
        ['b', b],
      ]),
    });
    expect(value((await rotated.decode(await old.encode([plain])))[0])).toEqual({ text: 'a secret' });
    await expect(old.decode(await rotated.encode([plain]))).rejects.toThrow(/key "b", which is not here/);
  });

  test('a payload that was changed, cut, or is of another key of that id, is refused', async () => {
    const codec = payloadCodec({ writeWith: 'a', keys: new Map([['a', a]]) });
    const other = payloadCodec({ writeWith: 'a', keys: new Map([['a', b]]) });
    const [sealed] = await codec.encode([plain]);
    const data = Buffer.from(sealed?.data ?? []);
    const changed = Buffer.from(data);
    changed[20] = (changed[20] ?? 0) ^ 1;
    for (const broken of [changed, data.subarray(0, 20), Buffer.alloc(0)])
      await expect(codec.decode([{ ...sealed, data: broken }])).rejects.toThrow(PayloadKeyError);
    await expect(other.decode(sealed ? [sealed] : [])).rejects.toThrow(/does not open with the key "a"/);
  });

  test('a key of another length, and one to write with that is not there, are refused at once', () => {
    expect(() => payloadCodec({ writeWith: 'a', keys: new Map([['a', a.subarray(1)]]) })).toThrow(/31 bytes/);
    expect(() => payloadCodec({ writeWith: 'b', keys: new Map([['a', a]]) })).toThrow(/not among the keys/);
  });
});
