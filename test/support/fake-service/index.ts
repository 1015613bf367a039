export type { Arrival, ConnectionRecord, Deadline, Received, StoredMessage, Verdict } from './arrival.ts';
export type { BotRules } from './bot-directory.ts';
export { startFakeTelegram, type FakeTelegram, type FakeTelegramOptions } from './fake-telegram.ts';
export type { EarlyRule, PenaltyRule, Window, WindowScope, Windows } from './flood-control.ts';
export {
  startFullListener,
  startResettingListener,
  type FullListener,
  type ResettingListener,
} from './listeners.ts';
export type { Script, ScriptScope } from './script-book.ts';
export type { Delivery, Step } from './steps.ts';
export * as step from './steps.ts';
