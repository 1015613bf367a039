// Webhooks of the services: each takes a Fetch-API request, and answers once what it asks for is durably started.
export type { Beginning, ReplySender, UpdateName } from './begin.ts';
export type { IntakeCounts } from './counts.ts';
export type { DeliveryEnd } from './ends.ts';
export type { Intake, IntakeOptions, IntakeProblem } from './intake.ts';
export { type QivunaIntakeOptions, type QivunaUpdate, qivunaIntake } from './qivuna.ts';
export type { Secret } from './secret.ts';
export { type TelegramIntakeOptions, type TelegramUpdate, telegramIntake } from './telegram.ts';
export { type UnifyportEvent, type UnifyportIntakeOptions, unifyportIntake } from './unifyport.ts';
