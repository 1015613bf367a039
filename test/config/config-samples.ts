import { parseConfig } from '../../config/load.ts';
import type { BotConfig } from '../../config/bot-config.ts';

/** The bot of a configuration with one bot; `settings` beside the two that each bot must have. */
export function botOf(settings: Record<string, unknown>): BotConfig {
  const file = { bots: { support: { contract: 'telegram', tokenEnv: 'SUPPORT_TOKEN', ...settings } } };
  const bot = parseConfig(JSON.stringify(file), '/etc/replylane/config.json').bots.get('support');
  if (bot === undefined) throw new Error('no bot');
  return bot;
}
