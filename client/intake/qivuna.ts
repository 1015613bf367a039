import { type Intake, type IntakeOptions, createIntake } from './intake.ts';
import { admitBySecretHeader } from './secret-header.ts';
import { type Secret, requireSecret } from './secret.ts';
import { type Fields, own, readExactUpdate } from './update.ts';

/** An update of Qivuna. Integers too large for JavaScript come as their digits, in a string. */
export type QivunaUpdate = Fields;

export type QivunaIntakeOptions = IntakeOptions<QivunaUpdate> & {
  /** The secret that the webhook was set up with. */
  readonly secretToken: Secret;
};

/**
 * Takes the webhook of one Qivuna bot, under the same promises as that of Telegram.
 *
 * Assumption: deliveries carry the secret in `X-Qivuna-Secret-Token`, and an update its id in `update_id`, unique per
 * bot and the same in every delivery. The service documents its sending only; both follow the API that it resembles.
 */
export function qivunaIntake(options: QivunaIntakeOptions): Intake {
  requireSecret(options.secretToken, 'secretToken');
  const admit = admitBySecretHeader(
    { header: 'x-qivuna-secret-token', read: readExactUpdate, idOf },
    options.secretToken,
  );
  return createIntake(options, admit);
}

// Assumption: whole numbers, as chat ids are, and perhaps as large.
function idOf(update: Fields): string | undefined {
  const id = own(update, 'update_id');
  if (Number.isSafeInteger(id)) return String(id);
  return typeof id === 'string' && /^-?\d{1,30}$/.test(id) ? id : undefined;
}
