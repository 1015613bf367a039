import { defaultLanePolicy } from '../domain/lane/policy.ts';
import type { BotConfig, BotLimits } from './bot-config.ts';

/** The numbers of a bot's settings: default and bounds, in one place for the schema, the messages and the docs. */

export interface NumberSetting {
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

export type NumberSettingName = {
  [Name in keyof BotConfig]: BotConfig[Name] extends number ? Name : never;
}[keyof BotConfig];

const secondMs = 1000;
const dayMs = 86_400_000;

export const numberSettings: Readonly<Record<NumberSettingName, NumberSetting>> = {
  // With the claim's life it stays under the 60 s after which the send activity is given up.
  httpTimeoutMs: { default: 20 * secondMs, min: 100, max: 50 * secondMs },
  connectTimeoutMs: { default: 5 * secondMs, min: 50, max: 50 * secondMs },
  claimLifeMs: { default: 5 * secondMs, min: 100, max: 5 * secondMs },
  maxAttempts: { default: 10, min: 1, max: 1000 },
  maxFloods: { default: 100, min: 1, max: 1000 },
  reviewAfterAgeMs: { default: dayMs, min: secondMs, max: 365 * dayMs },
  heldPauseMs: { default: 60 * secondMs, min: secondMs, max: dayMs },
  unreachedBackoffMinMs: { default: secondMs, min: 100, max: dayMs },
  unreachedBackoffMaxMs: { default: 60 * secondMs, min: 100, max: dayMs },
  minAttemptGapMs: { default: secondMs, min: secondMs, max: dayMs },
  maxOutstanding: { default: 20, min: 1, max: 1000 },
};

export const expiresAfter = { min: secondMs, max: 365 * dayMs } as const;
/** Above zero; ten years at most, so that the instant is one of the calendar. */
export const policyHours = { max: 87_600 } as const;
export const windowBounds = { limit: { min: 1, max: 100_000 }, perMs: { min: 1, max: dayMs } } as const;
export const maxWindows = 8;

export const defaultLimits: BotLimits = {
  bot: defaultLanePolicy.bot,
  chat: defaultLanePolicy.chat,
  group: defaultLanePolicy.group,
};

/** An HTTP time-out under this makes unknowns out of answers that a service holds back. */
export const safeHttpTimeoutMs = 15 * secondMs;
