import { describe, expect, test } from 'vitest';
import type { BotConfig } from '../../config/bot-config.ts';
import { parseConfig } from '../../config/load.ts';
import { TokenReader } from '../../config/secrets.ts';
import { sharedTokenWarnings } from '../../config/shared-tokens.ts';

const token = '7000000001:AAexample_example-example_example12';
const env = { A: token, B: token, OTHER: '7000000002:AAexample_example-example_example12', KEY: 'wk_1' };

function warnings(bots: Record<string, Record<string, unknown>>): readonly string[] {
  const settings = Object.entries(bots).map(([name, bot]) => [name, { contract: 'telegram', ...bot }]);
  const text = JSON.stringify({ bots: Object.fromEntries(settings) as Record<string, BotConfig> });
  const tokens = new TokenReader({ env });
  const config = parseConfig(text, '/etc/replylane/config.json');
  return sharedTokenWarnings(config.bots.values(), (bot) => tokens.read(bot));
}

describe('bots with one and the same token', () => {
  test('are named in one warning, which does not repeat it', () => {
    const told = warnings({ a: { tokenEnv: 'A' }, x: { tokenEnv: 'OTHER' }, b: { tokenEnv: 'B' } });
    expect(told).toEqual([expect.stringMatching(/^bots\.a and bots\.b have one and the same token: /)]);
    expect(told.join('')).not.toContain(token);
  });

  test('are found by its place where it is not here', () => {
    expect(warnings({ a: { tokenFile: 'none' }, b: { tokenFile: './none' } })).toHaveLength(1);
    expect(warnings({ a: { tokenEnv: 'NONE' }, b: { tokenEnv: 'NOR_THIS' } })).toEqual([]);
  });

  test('are told apart by their accounts', () => {
    const bot = (accountId: string) => ({ contract: 'unifyport', tokenEnv: 'KEY', accountId });
    expect(warnings({ a: bot('acc_1'), b: bot('acc_2') })).toEqual([]);
    expect(warnings({ a: bot('acc_1'), b: bot('acc_1') })).toHaveLength(1);
  });
});
