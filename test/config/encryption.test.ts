import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { PayloadKeyError } from '../../client/index.ts';
import { readPayloadKeys } from '../../config/encryption.ts';
import { parseConfig } from '../../config/load.ts';
import { ConfigError } from '../../config/problem.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const folder = mkdtempSync(join(tmpdir(), 'replylane-encryption-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bots = { support: { contract: 'telegram', tokenEnv: 'SUPPORT_TOKEN' } };
const parse = (encryption: unknown) =>
  parseConfig(JSON.stringify({ bots, encryption }), join(folder, 'config.json'));

function problemsOf(encryption: unknown): Record<string, string> {
  try {
    parse(encryption);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).not.toContain(key);
    return Object.fromEntries(error.problems.map(({ field, problem }) => [field, problem]));
  }
  return {};
}

describe('encryption in the configuration', () => {
  test('is off where it is left out', () => {
    expect(readPayloadKeys(parse(undefined).encryption)).toEqual({ writeKey: null, keys: new Map() });
  });

  test('names its keys by id, each in a file or a variable', () => {
    writeFileSync(join(folder, 'one'), `${key}\n`);
    const keys = { '2026-1': { keyFile: 'one' }, '2026-2': { keyEnv: 'KEY_TWO' } };
    const read = readPayloadKeys(parse({ writeKey: '2026-2', keys }).encryption, { KEY_TWO: key });
    expect(read.writeKey).toBe('2026-2');
    expect([...read.keys]).toEqual([
      ['2026-1', Buffer.alloc(32, 7)],
      ['2026-2', Buffer.alloc(32, 7)],
    ]);
  });

  test.each<[string, unknown, string, RegExp]>([
    ['no id to write with', { keys: {} }, 'encryption.writeKey', /id of one of the keys, or null/],
    ['an id without a key', { writeKey: '1', keys: {} }, 'encryption.writeKey', /add it there/],
    ['no place', { writeKey: null, keys: { a: {} } }, 'encryption.keys.a', /has no key/],
    [
      'two places',
      { writeKey: null, keys: { a: { keyFile: 'x', keyEnv: 'X' } } },
      'encryption.keys.a',
      /two keys/,
    ],
    ['an odd id', { writeKey: null, keys: { 'a b': { keyEnv: 'X' } } }, 'encryption.keys."a b"', /not an id/],
    [
      'the key itself for its variable',
      { writeKey: null, keys: { a: { keyEnv: key } } },
      'encryption.keys.a.keyEnv',
      /not the key itself/,
    ],
    [
      'a key that is given, not named',
      { writeKey: null, keys: { a: { keyfile: 'x' } } },
      'encryption.keys.a.keyfile',
      /did you mean "keyFile"/,
    ],
    ['another name', { writekey: null, keys: {} }, 'encryption.writekey', /did you mean "writeKey"/],
  ])('%s is told', (_, encryption, field, words) => {
    expect(problemsOf(encryption)[field]).toMatch(words);
  });

  test('keys that cannot be used are told all at once, by their ids', () => {
    writeFileSync(join(folder, 'bad'), key.slice(0, 20));
    const keys = { a: { keyFile: 'none' }, b: { keyFile: 'bad' }, c: { keyEnv: 'UNSET' } };
    const { encryption } = parse({ writeKey: 'a', keys });
    const attempt = () => readPayloadKeys(encryption, {});
    expect(attempt).toThrow(PayloadKeyError);
    expect(attempt).toThrow(/keys\.a: .*does not exist[^]*keys\.b: is no key[^]*keys\.c: .*UNSET/);
    expect(attempt).not.toThrow(key.slice(0, 20));
  });
});
