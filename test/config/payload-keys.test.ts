import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../config/load.ts';
import { readPayloadKeys } from '../../config/payload-keys.ts';

const key = randomBytes(32).toString('base64');
const bots = { support: { contract: 'telegram', tokenEnv: 'TOKEN' } };
const config = (encryption?: unknown) => parseConfig(JSON.stringify({ encryption, bots }), '/x/config.json');
const oneKey = { keyId: 'a', keys: { a: { keyEnv: 'KEY_A' } } };

describe('the keys of payloads', () => {
  test('without encryption there are none', () => {
    expect(readPayloadKeys(config())).toEqual({ writeWith: null, keys: new Map() });
  });

  test('are read from where the configuration says', () => {
    const read = readPayloadKeys(config(oneKey), { KEY_A: `${key}\n` });
    expect(read.writeWith).toBe('a');
    expect(Buffer.from(read.keys.get('a') ?? []).toString('base64')).toBe(key);
  });

  test('one that is missing, cut or no base 64 is told by its field, and never repeated', () => {
    for (const value of [undefined, key.slice(0, 20), `${key.slice(0, -1)}!`]) {
      const read = () => readPayloadKeys(config(oneKey), { KEY_A: value });
      expect(read).toThrow(/encryption\.keys\.a: .*(KEY_A is not set|openssl rand -base64 32)/);
      if (value !== undefined)
        expect(read).not.toThrow(new RegExp(value.slice(0, 12).replaceAll('+', '\\+')));
    }
  });

  test('the key to write with must be one of them; each is in one place; none stands in the file itself', () => {
    expect(() => config({ ...oneKey, keyId: 'b' })).toThrow(
      /encryption\.keyId: must be the id of one of the keys/,
    );
    expect(() => config({ keyId: 'a', keys: { a: {} } })).toThrow(
      /encryption\.keys\.a: must have either keyFile/,
    );
    expect(() => config({ keyId: 'a', keys: { a: { keyEnv: key } } })).toThrow(
      /encryption\.keys\.a\.keyEnv: must be the name of an environment variable/,
    );
    expect(() => config({ ...oneKey, keyld: 'a' })).toThrow(/encryption/);
  });
});
