import type { BotConfig } from './bot-config.ts';
import { fieldPath } from './problem.ts';
import type { TokenReading } from './secrets.ts';

/**
 * Warnings about bots with one and the same token: the service counts them as one, and lanes do not. Bots of one
 * workspace key are told apart by their accounts. The token is not repeated (invariant 8).
 */
export function sharedTokenWarnings(
  bots: Iterable<BotConfig>,
  read: (bot: BotConfig) => TokenReading,
): readonly string[] {
  const sharing = new Map<string, string[]>();
  for (const bot of bots) {
    const reading = read(bot);
    const who = reading.kind === 'token' ? ['token', reading.token] : ['place', bot.token];
    const key = JSON.stringify([bot.contract, bot.account, who]);
    sharing.set(key, [...(sharing.get(key) ?? []), fieldPath(['bots', bot.name])]);
  }
  return [...sharing.values()]
    .filter((names) => names.length > 1)
    .map(
      (names) =>
        `${names.join(' and ')} have one and the same token: windows and cooldowns are kept for each name, so together ` +
        `they send more than the limits, and a flood of one does not stop the other. Keep one of them`,
    );
}
