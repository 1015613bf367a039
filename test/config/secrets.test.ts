import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { TokenReader } from '../../config/secrets.ts';
import type { TokenSource } from '../../config/bot-config.ts';

const token = '7000000001:AAexample_example-example_example12';
const folder = mkdtempSync(join(tmpdir(), 'replylane-secrets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const path = join(folder, 'support');
const owner = (source: TokenSource) => ({ contract: 'telegram', token: source });
const inFile = owner({ kind: 'file', path });
const inVariable = owner({ kind: 'env', variable: 'SUPPORT_TOKEN' });

function read(text: string | Uint8Array) {
  writeFileSync(path, text);
  return new TokenReader().read(inFile);
}

describe('a token in a file', () => {
  test.each([token, `${token}\n`, `${token}\r\n`, `\uFEFF${token}\n\n`])(
    'is read without the line breaks at its end: %#',
    (text) => expect(read(text)).toEqual({ kind: 'token', token }),
  );

  test.each([
    ['nothing', '', 'is empty'],
    ['a line break only', '\n', 'is empty'],
    ['a space', `${token} \n`, 'has a space'],
    ['two lines', `${token}\n${token}\n`, 'has a space, a line break'],
    ['a path', `${token}/x`, 'cannot stand in a URL'],
    ['a query', `${token}?x`, 'cannot stand in a URL'],
    ['a percent sign', `${token}%2F`, 'cannot stand in a URL'],
    ['an accent', `${token}é`, 'has a space'],
    ['UTF-16', Buffer.from(token, 'utf16le'), 'has a space'],
    ['too much', token.repeat(200), 'too large'],
  ])('with %s is missing, and the reason does not repeat it', (_, text, why) => {
    const reading = read(text);
    expect(reading).toEqual({ kind: 'missing', why: expect.stringContaining(why) });
    expect(JSON.stringify(reading)).toContain(path);
    expect(JSON.stringify(reading)).not.toContain('AAexample');
  });

  test('that does not exist, or is a folder, is missing', () => {
    const reader = new TokenReader();
    const none = reader.read(owner({ kind: 'file', path: join(folder, 'none') }));
    expect(none).toEqual({ kind: 'missing', why: expect.stringContaining('does not exist') });
    mkdirSync(join(folder, 'dir'));
    const dir = reader.read(owner({ kind: 'file', path: join(folder, 'dir') }));
    expect(dir).toEqual({ kind: 'missing', why: expect.stringContaining('is not a file') });
  });

  test('is read again after 5 s, found or not', () => {
    let nowMs = 0;
    const reader = new TokenReader({ monotonicMs: () => nowMs });
    rmSync(path, { force: true });
    expect(reader.read(inFile).kind).toBe('missing');
    writeFileSync(path, token);
    nowMs = 4999;
    expect(reader.read(inFile).kind).toBe('missing');
    nowMs = 5000;
    expect(reader.read(inFile)).toEqual({ kind: 'token', token });
    writeFileSync(path, `${token}-new`);
    nowMs = 10_000;
    expect(reader.read(inFile)).toEqual({ kind: 'token', token: `${token}-new` });
  });
});

describe('a token in an environment variable', () => {
  test('is read as it is now', () => {
    const env: Record<string, string | undefined> = { SUPPORT_TOKEN: token };
    const reader = new TokenReader({ env });
    expect(reader.read(inVariable)).toEqual({ kind: 'token', token });
    env['SUPPORT_TOKEN'] = undefined;
    expect(reader.read(inVariable)).toEqual({
      kind: 'missing',
      why: expect.stringContaining('SUPPORT_TOKEN is not set'),
    });
    env['SUPPORT_TOKEN'] = '';
    expect(reader.read(inVariable)).toEqual({ kind: 'missing', why: expect.stringContaining('is empty') });
  });
});
