import { expect, test } from 'vitest';
import { leaksIn } from './leaks.ts';

const secrets = { token: '100007:TEST "TOKEN"-abcdefghijklmnopqrstuvw', text: 'The code of your safe' };
const leaked = (text: string): readonly string[] => leaksIn(new Map([['log', text]]), secrets);

test('what holds no secret has no leak', () => {
  expect(leaked('worker: ready; The code of your bike; 100007:OTHER')).toEqual([]);
});

test.each<[string, (secret: string) => string]>([
  ['plain', (secret) => `GET /bot${secret}/sendMessage`],
  ['in JSON', (secret) => JSON.stringify({ url: secret })],
  ['in JSON inside of JSON', (secret) => JSON.stringify({ line: JSON.stringify({ url: secret }) })],
  ['in an address', (secret) => `?query=${encodeURIComponent(secret)}`],
  ...['', 'a', 'ab', 'abc'].map((before): [string, (secret: string) => string] => [
    `in base 64 after ${before.length} bytes`,
    (secret) => Buffer.from(`${before}${secret}.`).toString('base64'),
  ]),
  ['in JSON in base 64', (secret) => Buffer.from(JSON.stringify({ a: secret })).toString('base64')],
])('each secret is found %s', (_, put) => {
  expect(leaked(put(secrets.token))).toEqual(['token in log']);
  expect(leaked(put(secrets.text))).toEqual(['text in log']);
});
