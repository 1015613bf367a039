import { type Admit, type Intake, type IntakeOptions, createIntake } from './intake.ts';
import { admitBySecretHeader } from './secret-header.ts';
import { type Secret, requireSecret } from './secret.ts';
import { own, readUpdate } from './update.ts';

/** What is certain of an update. Give the Bot API's own type for more: `telegramIntake<Update>({ … })`. */
export interface TelegramUpdate {
  readonly update_id: number;
}

export type TelegramIntakeOptions<Update extends TelegramUpdate> = IntakeOptions<Update> & {
  /** The `secret_token` that `setWebhook` was given. */
  readonly secretToken: Secret;
};

/**
 * Takes the webhook of one Telegram bot. Each update starts at most one thing, under `upd-<update_id>-reply`; it is
 * acknowledged once that is durable, and delivered again by Telegram otherwise. Throws a `ReplyInputError` for an empty
 * secret.
 */
export function telegramIntake<
  Update extends TelegramUpdate = TelegramUpdate & Readonly<Record<string, unknown>>,
>(options: TelegramIntakeOptions<Update>): Intake {
  requireSecret(options.secretToken, 'secretToken');
  const admit = admitBySecretHeader(
    {
      header: 'x-telegram-bot-api-secret-token',
      read: readUpdate,
      idOf: (update) => {
        const id = own(update, 'update_id');
        return Number.isSafeInteger(id) ? String(id) : undefined;
      },
    },
    options.secretToken,
  );
  // The secret proves that Telegram has sent it, and Telegram says what its updates are like.
  return createIntake(options, admit as unknown as Admit<Update>);
}
