import type { BotConfig } from '../config/bot-config.ts';
import { type Budgets, defaultBudgets } from '../domain/send.ts';

/** A bot's budgets where they differ from the defaults: only then do they travel. */
export function budgetsOf(bot: BotConfig): Budgets | undefined {
  const budgets: Budgets = {
    attempts: bot.maxAttempts,
    floods: bot.maxFloods,
    ageMs: bot.reviewAfterAgeMs,
    backoffMinMs: bot.unreachedBackoffMinMs,
    backoffMaxMs: bot.unreachedBackoffMaxMs,
    attemptGapMs: bot.minAttemptGapMs,
    expiresAfterMs: bot.expiresAfterMs,
    ...(bot.reviewPolicy === null ? {} : { reviewPolicy: bot.reviewPolicy }),
  };
  return JSON.stringify(budgets) === JSON.stringify(defaultBudgets) ? undefined : budgets;
}
