import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lanePolicyOf } from '../../config/bot-config.ts';
import { configPath, loadConfig, parseConfig } from '../../config/load.ts';
import { policyProblem } from '../../domain/lane/policy.ts';
import { botOf } from './config-samples.ts';

describe('a bot that names only its contract and token has the defaults', () => {
  test('of the design', () =>
    expect(botOf({})).toEqual({
      name: 'support',
      contract: 'telegram',
      token: { kind: 'env', variable: 'SUPPORT_TOKEN' },
      account: null,
      apiRoot: 'https://api.telegram.org',
      limits: {
        bot: [{ limit: 30, perMs: 1000 }],
        chat: [{ limit: 1, perMs: 1000 }],
        group: [
          { limit: 1, perMs: 1000 },
          { limit: 20, perMs: 60_000 },
        ],
      },
      httpTimeoutMs: 20_000,
      connectTimeoutMs: 5000,
      claimLifeMs: 5000,
      maxAttempts: 10,
      maxFloods: 100,
      reviewAfterAgeMs: 86_400_000,
      expiresAfterMs: null,
      reviewPolicy: null,
      heldPauseMs: 60_000,
      unreachedBackoffMinMs: 1000,
      unreachedBackoffMaxMs: 60_000,
      minAttemptGapMs: 1000,
      maxOutstanding: 20,
    }));

  test('and what it names in their place', () => {
    const bot = botOf({
      httpTimeoutMs: 3000,
      expiresAfterMs: 60_000,
      limits: { chat: [], bot: [{ limit: 5, perMs: 1000 }] },
    });
    expect(bot).toMatchObject({ httpTimeoutMs: 3000, connectTimeoutMs: 3000, expiresAfterMs: 60_000 });
    expect(bot.limits.chat).toEqual([]);
    expect(bot.limits.bot).toEqual([{ limit: 5, perMs: 1000 }]);
    expect(bot.limits.group).toHaveLength(2);
  });

  test('"none" turns all pacing off, which is worth a warning', () => {
    expect(botOf({ limits: 'none' }).limits).toEqual({ bot: [], chat: [], group: [] });
    const file = {
      bots: { a: { contract: 'telegram', tokenEnv: 'A', limits: 'none', httpTimeoutMs: 5000 } },
    };
    const { warnings } = parseConfig(JSON.stringify(file), '/x.json');
    expect(warnings.map((warning) => warning.split(':')[0])).toEqual([
      'bots.a.httpTimeoutMs',
      'bots.a.limits',
    ]);
  });

  test('its lane takes the policy made of it', () => {
    for (const settings of [
      {},
      { limits: 'none' },
      { maxOutstanding: 1, heldPauseMs: 1000, claimLifeMs: 100, httpTimeoutMs: 100 },
    ])
      expect(policyProblem(lanePolicyOf(botOf(settings)))).toBeUndefined();
    expect(lanePolicyOf(botOf({})).answerBoundMs).toBe(25_000);
  });

  test('a token file is found from the folder of the configuration', () => {
    const file = { bots: { a: { contract: 'telegram', tokenFile: 'secrets/a' } } };
    const { bots } = parseConfig(JSON.stringify(file), '/etc/replylane/config.json');
    expect(bots.get('a')?.token).toEqual({ kind: 'file', path: '/etc/replylane/secrets/a' });
  });
});

describe('the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'replylane-config-'));
  const path = join(folder, 'named.json');
  beforeAll(() => writeFileSync(path, '\uFEFF{"bots":{"a":{"contract":"telegram","tokenEnv":"A"}}}\r\n'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is the one given, else the one in REPLYLANE_CONFIG, else the one in this folder', () => {
    expect(loadConfig(path, {}).bots.has('a')).toBe(true);
    expect(loadConfig(undefined, { REPLYLANE_CONFIG: path }).path).toBe(path);
    expect(configPath('x.json', { REPLYLANE_CONFIG: path })).toBe(resolve('x.json'));
    expect(configPath(undefined, { REPLYLANE_CONFIG: '' })).toBe(resolve('replylane.config.json'));
  });

  test('that is missing, or no file, is named with what to do', () => {
    expect(() => loadConfig(join(folder, 'none.json'), {})).toThrow(
      /none\.json has a problem:\n.*no such file: copy examples/,
    );
    expect(() => loadConfig(folder, {})).toThrow(/EISDIR/);
  });

  test('of the examples is right', () => {
    const { bots, warnings } = loadConfig(
      resolve(import.meta.dirname, '../../examples/replylane.config.json'),
      {},
    );
    expect([...bots.keys()]).toEqual(['support', 'alerts']);
    expect(warnings).toEqual([]);
  });
});
