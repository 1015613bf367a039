/**
 * A fake Telegram on loopback, for tests and the demo:
 *
 *     const fake = await startFakeTelegram({ bots: { '1:token': { name: 'support' } } });
 *     fake.script('support', { chat: 7 }, step.flood(2));
 *     await fake.waitFor(() => fake.stored().length === 1);
 *     expect(earlyArrivals(fake.arrivals, fake.deadlines)).toEqual([]);
 */
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
export type { AnswerStep, Delivery, Step } from './steps.ts';
export * as step from './steps.ts';
export {
  byText,
  duplicates,
  earlyArrivals,
  outOfOrder,
  unsafeRepeats,
  windowViolations,
  type Duplicate,
  type EarlyArrival,
  type Inversion,
  type WindowViolation,
} from './judge.ts';
