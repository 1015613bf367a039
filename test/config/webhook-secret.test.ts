import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../config/load.ts';
import { ConfigError } from '../../config/problem.ts';
import { botOf } from './config-samples.ts';

const secret = '123456:the-secret-of-the-webhook';

describe('the secret of a bot’s webhook', () => {
  test('is none unless it is given', () => expect(botOf({}).webhookSecret).toBeUndefined());

  test('is named by file or variable, as a token is', () => {
    const path = '/etc/replylane/secrets/hook';
    expect(botOf({ webhookSecretFile: 'secrets/hook' }).webhookSecret).toEqual({ kind: 'file', path });
    const variable = 'HOOK_SECRET';
    expect(botOf({ webhookSecretEnv: variable }).webhookSecret).toEqual({ kind: 'env', variable });
  });

  test.each([
    [
      { webhookSecretFile: 'a', webhookSecretEnv: 'A' },
      'bots.a',
      /both webhookSecretFile and webhookSecretEnv/,
    ],
    [{ webhookSecretFile: ' ' }, 'bots.a.webhookSecretFile', /holds the webhook secret/],
    [{ webhookSecretFile: secret }, 'bots.a.webhookSecretFile', /not the webhook secret itself/],
    [{ webhookSecretEnv: secret }, 'bots.a.webhookSecretEnv', /name of an environment variable/],
    [{ webhookSecret: secret }, 'bots.a.webhookSecret', /did you mean "webhookSecret(Env|File)"/],
  ])('%j is refused, and not repeated', (settings, field, words) => {
    const file = JSON.stringify({ bots: { a: { contract: 'telegram', tokenEnv: 'A', ...settings } } });
    const problems = problemsOf(file);
    expect(problems).toEqual([{ field, problem: expect.stringMatching(words) }]);
    expect(JSON.stringify(problems)).not.toContain(secret);
  });
});

function problemsOf(file: string): readonly unknown[] {
  try {
    parseConfig(file, '/etc/replylane/config.json');
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
