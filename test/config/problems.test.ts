import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../config/load.ts';
import { ConfigError } from '../../config/problem.ts';
import { botOf } from './config-samples.ts';

const token = '7000000001:AAexample_example-example_example12';

function problemsOf(file: unknown): Record<string, string> {
  try {
    parseConfig(typeof file === 'string' ? file : JSON.stringify(file), '/etc/replylane/config.json');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).not.toContain(token);
    for (const { problem } of error.problems) expect(error.message).toContain(problem);
    return Object.fromEntries(error.problems.map(({ field, problem }) => [field, problem]));
  }
  return {};
}
const problemsWith = (settings: Record<string, unknown>) =>
  problemsOf({ bots: { support: { contract: 'telegram', tokenEnv: 'SUPPORT_TOKEN', ...settings } } });

describe('apiRoot', () => {
  test.each([
    ['https://bots.example/', 'https://bots.example'],
    ['https://bots.example/prefix//', 'https://bots.example/prefix'],
    ['http://127.0.0.1:8081', 'http://127.0.0.1:8081'],
    ['http://[::1]:8081/', 'http://[::1]:8081'],
    ['http://localhost:8081', 'http://localhost:8081'],
  ])('%s is %s', (apiRoot, expected) => expect(botOf({ apiRoot }).apiRoot).toBe(expected));

  test('plain http to another machine needs to be allowed', () => {
    expect(problemsWith({ apiRoot: 'http://fake:8081' })).toEqual({
      'bots.support.apiRoot': expect.stringContaining('allowInsecureHttp'),
    });
    expect(botOf({ apiRoot: 'http://fake:8081', allowInsecureHttp: true }).apiRoot).toBe('http://fake:8081');
  });

  test.each([
    '',
    'api.telegram.org',
    'ftp://x',
    `https://${token}@x.example`,
    'https://x.example/?a=1',
    'https://x.example/#',
    'http://127.0.0.1.example',
    7,
  ])('%j is refused, and not repeated', (apiRoot) => {
    const problems = problemsWith({ apiRoot });
    expect(Object.keys(problems)).toEqual(['bots.support.apiRoot']);
  });
});

describe('reviewPolicy', () => {
  test('is none unless it is given', () => {
    expect(botOf({}).reviewPolicy).toBeNull();
    const policy = { afterHours: 0.5, decision: 'not_sent' };
    expect(botOf({ reviewPolicy: policy }).reviewPolicy).toEqual(policy);
  });

  test.each([
    [{ afterHours: 48, decision: 'resend' }, 'decision', /"resend" is for a person only/],
    [{ afterHours: 48 }, 'decision', /"not_sent"/],
    [{ afterHours: 0, decision: 'sent' }, 'afterHours', /above 0/],
    [{ afterHours: -1, decision: 'sent' }, 'afterHours', /above 0/],
    [{ afterHours: 1e9, decision: 'sent' }, 'afterHours', /87600 at most/],
    [{ afterHours: 1, decision: 'sent', after: 1 }, 'after', /did you mean "afterHours"|use afterHours/],
  ])('%j is refused', (policy, field, problem) => {
    expect(problemsWith({ reviewPolicy: policy })).toEqual({
      [`bots.support.reviewPolicy.${field}`]: expect.stringMatching(problem),
    });
  });
});

describe('a wrong configuration', () => {
  test('has all its problems in one message, each with its field and what to do', () => {
    const problems = problemsOf({
      bot: {},
      bots: {
        support: {
          contract: 'telegramm',
          tokenFile: token,
          tokenEnv: 'A B',
          apiroot: 'https://x.example',
          limits: {
            chats: [],
            group: [
              { limit: 0, perMs: 1000 },
              { limit: 1, perms: 1000 },
            ],
            bot: 'none',
          },
          httpTimeoutMs: 2.5,
          connectTimeoutMs: '5',
          unreachedBackoffMinMs: 90_000,
          maxFloods: null,
        },
        'Not A Name': { contract: 'telegram', tokenEnv: 'A' },
        list: [],
      },
    });
    expect(problems).toMatchObject({
      bot: 'is not a setting: did you mean "bots"?',
      'bots.support': expect.stringContaining('both tokenFile and tokenEnv'),
      'bots.support.contract': expect.stringContaining('"telegram"'),
      'bots.support.tokenFile': expect.stringContaining('not the token itself'),
      'bots.support.tokenEnv': expect.stringContaining('environment variable'),
      'bots.support.apiroot': 'is not a setting: did you mean "apiRoot"?',
      'bots.support.limits.chats': 'is not a setting: did you mean "chat"?',
      'bots.support.limits.bot': expect.stringContaining('must be a list'),
      'bots.support.limits.group[0].limit': 'must be a whole number from 1 to 100000; it is 0',
      'bots.support.limits.group[1].perMs': expect.stringContaining('it is missing'),
      'bots.support.limits.group[1].perms': 'is not a setting: did you mean "perMs"?',
      'bots.support.httpTimeoutMs': 'must be a whole number of milliseconds from 100 to 50000; it is 2.5',
      'bots.support.connectTimeoutMs': expect.stringContaining('it is another text'),
      'bots.support.unreachedBackoffMinMs': expect.stringContaining('unreachedBackoffMaxMs (60000)'),
      'bots.support.maxFloods': expect.stringContaining('it is null'),
      'bots."Not A Name"': expect.stringContaining('a-z, 0-9'),
      'bots.list': expect.stringContaining('it is a list of 0'),
    });
  });

  test.each([
    [{}, 'bots'],
    [[], ''],
    [null, ''],
    [{ bots: {} }, 'bots'],
    [{ bots: [] }, 'bots'],
    ['{"bots":{"__proto__":{"contract":"telegram","tokenEnv":"A"}}}', 'bots.__proto__'],
    [{ bots: { a: { contract: 'telegram' } } }, 'bots.a'],
    [{ bots: { a: { tokenEnv: 'A' } } }, 'bots.a.contract'],
    [
      '{"bots":{"a":{"contract":"telegram","tokenEnv":"A"},"a":{"contract":"telegram","tokenEnv":"B"}}}',
      'bots.a',
    ],
    [{ bots: { a: { contract: 'telegram', tokenEnv: 'A', token } } }, 'bots.a.token'],
    [{ bots: { a: { contract: 'telegram', tokenEnv: token } } }, 'bots.a.tokenEnv'],
    [{ bots: { a: { contract: 'telegram', tokenEnv: 'A', [token]: 1 } } }, 'bots.a."[token]"'],
    [
      { bots: { a: { contract: 'telegram', tokenEnv: 'A', httpTimeoutMs: 3000, connectTimeoutMs: 4000 } } },
      'bots.a.connectTimeoutMs',
    ],
  ])('%j: the problem is named', (file, field) => expect(Object.keys(problemsOf(file))).toEqual([field]));

  test('a name that every object has is no bot', () => {
    const file = JSON.stringify({ bots: { a: { contract: 'telegram', tokenEnv: 'A' } } });
    expect(parseConfig(file, '/x.json').bots.get('constructor')).toBeUndefined();
  });

  test('that is no JSON is told by line and column, without its text', () => {
    expect(problemsOf(`{\n  "bots": { "a": ${token} }\n}`)).toEqual({
      '': 'line 2, column 28: not valid JSON: a comma or } must follow',
    });
  });
});
