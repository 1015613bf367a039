import { accountProblem } from '../../contracts/unifyport/account.ts';
import { ReplyInputError } from '../errors.ts';
import { readBody } from './body.ts';
import { type Admit, type Intake, type IntakeOptions, createIntake } from './intake.ts';
import { type Secret, currentSecret, requireSecret } from './secret.ts';
import { isSignatureOf, isSignatureText, isTimestampText } from './signature.ts';
import { type Fields, own, readUpdate } from './update.ts';

/** An event `message.received`, as the service wrote it. */
export interface UnifyportEvent {
  readonly type: 'message.received';
  readonly id?: unknown;
  readonly provider?: unknown;
  readonly account_id?: unknown;
  readonly occurred_at?: unknown;
  readonly data?: unknown;
}

export type UnifyportIntakeOptions = IntakeOptions<UnifyportEvent> & {
  /** The `signing_secret` of the webhook's endpoint. */
  readonly signingSecret: Secret;
  /**
   * The connected account (`acc_…`) that the bot is: events of others come under the same secret, and are acknowledged
   * and start nothing.
   */
  readonly accountId: string;
};

/**
 * Takes the webhook of one connected account of UnifyPort: checks the signature over the bytes as they came, and starts
 * at most one thing for each `message.received`, under `upd-<event id>-reply`. Every other event is acknowledged and
 * starts nothing. Throws a `ReplyInputError` for an empty secret, and for what cannot be an account.
 */
export function unifyportIntake(options: UnifyportIntakeOptions): Intake {
  requireSecret(options.signingSecret, 'signingSecret');
  const problem = accountProblem(options.accountId ?? null);
  if (problem !== null)
    throw new ReplyInputError('The webhook cannot be taken', [{ field: 'accountId', problem }]);
  return createIntake(options, admitBySignature(options.signingSecret, options.accountId));
}

function admitBySignature(secret: Secret, accountId: string): Admit<UnifyportEvent> {
  return async (request, limits) => {
    const signingSecret = currentSecret(secret);
    if (signingSecret === undefined)
      return { kind: 'unavailable', problem: 'the signing secret of the webhook is not there' };
    const signature = request.headers.get('x-device-signature');
    const timestamp = request.headers.get('x-device-timestamp');
    if (!isSignatureText(signature) || !isTimestampText(timestamp)) return { kind: 'unauthorized' };
    const body = await readBody(request, limits);
    if (body.kind !== 'bytes') return body;
    if (!isSignatureOf(signature, signingSecret, { timestamp, body: body.bytes }))
      return { kind: 'unauthorized' };
    const event = readUpdate(body.bytes);
    if (!event) return { kind: 'malformed', problem: 'the body is no object in JSON' };
    const type = own(event, 'type');
    if (typeof type !== 'string') return { kind: 'malformed', problem: 'type is missing, or no text' };
    if (type !== 'message.received') return { kind: 'ignored' };
    const account = own(event, 'account_id');
    if (typeof account !== 'string')
      return { kind: 'malformed', problem: 'account_id is missing, or no text' };
    if (account !== accountId)
      return { kind: 'other_account', problem: 'the event is of another account than the one of this bot' };
    const id = eventId(event, request.headers.get('x-device-event-id'));
    if (id === undefined) return { kind: 'malformed', problem: 'the event has no id' };
    return { kind: 'update', update: event as unknown as UnifyportEvent, id };
  };
}

/**
 * The event's id stands in the header and in the body. Only the body is signed, so that its id goes first: a delivery
 * that somebody plays again under another header is still the same event.
 */
function eventId(event: Fields, header: string | null): string | undefined {
  const signed = own(event, 'id');
  if (typeof signed === 'string' && signed !== '') return signed;
  return header === null || header === '' ? undefined : header;
}
