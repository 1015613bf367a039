import { readBody } from './body.ts';
import type { Admit } from './intake.ts';
import { type Secret, currentSecret, sameSecret } from './secret.ts';
import type { Fields } from './update.ts';

/** A service whose deliveries carry a secret in a header, and whose updates carry their id in `update_id`. */
export interface SecretHeaderService {
  readonly header: string;
  readonly read: (bytes: Uint8Array) => Fields | undefined;
  /** The id of an update, unique per bot; undefined where it has none. */
  readonly idOf: (update: Fields) => string | undefined;
}

/** Lets in what carries the secret: before that, nothing of the body is read. */
export function admitBySecretHeader(service: SecretHeaderService, secret: Secret): Admit<Fields> {
  return async (request, limits) => {
    const expected = currentSecret(secret);
    if (expected === undefined)
      return { kind: 'unavailable', problem: 'the secret of the webhook is not there' };
    if (!sameSecret(request.headers.get(service.header), expected)) return { kind: 'unauthorized' };
    const body = await readBody(request, limits);
    if (body.kind !== 'bytes') return body;
    const update = service.read(body.bytes);
    if (!update) return { kind: 'malformed', problem: 'the body is no object in JSON' };
    const id = service.idOf(update);
    if (id === undefined) return { kind: 'malformed', problem: 'update_id is missing, or no whole number' };
    return { kind: 'update', update, id };
  };
}
