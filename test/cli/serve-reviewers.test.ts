import { describe, expect, test } from 'vitest';
import { basicAuthentication, readReviewers, reviewersOf } from '../../cli/serve/reviewers.ts';

const password = 'a-long:password-of-ana';
const request = (header?: string) =>
  new Request('http://127.0.0.1/review', header === undefined ? {} : { headers: { authorization: header } });
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const ask = async (text: string, header?: string) => {
  const answer = await basicAuthentication(
    () => readReviewers(text),
    () => {},
  )(request(header));
  return answer instanceof Response ? answer.status : answer;
};

describe('who may open the review page', () => {
  test('is whoever has the password of their own name', async () => {
    const text = `ana:${password}\nbob:another-long-password`;
    expect(await ask(text, basic(`ana:${password}`))).toEqual({ by: 'ana' });
    expect(await ask(text, basic('ana:another-long-password'))).toBe(401);
    for (const header of [
      undefined,
      'Basic',
      'Bearer x',
      basic('ana'),
      basic('carl:'),
      basic(':'),
      basic('ana:'),
    ])
      expect(await ask(text, header)).toBe(401);
  });

  test('is nobody while the list cannot be read', async () => {
    for (const text of ['', 'ana', 'ana:short', `ana:${password} ana:${password}`, `a b:${password}`])
      expect(await ask(text, basic(`ana:${password}`))).toBe(503);
  });

  test('is told what is wrong with the list, and no password', () => {
    expect(() => reviewersOf({}, undefined)).toThrow(/REPLYLANE_REVIEWERS/);
    expect(() => reviewersOf({}, '/nowhere/reviewers')).toThrow(/--reviewers-file: .*cannot be read/);
    const reading = readReviewers('ana:too-short');
    expect(JSON.stringify(reading)).toMatch(/entry 1 \(ana\)/);
    expect(JSON.stringify(reading)).not.toContain('too-short');
  });
});
