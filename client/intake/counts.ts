import type { DeliveryEnd } from './ends.ts';

type CountName =
  | 'accepted'
  | 'duplicates'
  | 'ignored'
  | 'otherAccount'
  | 'unauthorized'
  | 'tooLarge'
  | 'malformed'
  | 'conflicts'
  | 'invalid'
  | 'failed'
  | 'unavailable';

/** How deliveries have ended since the start of the process. Live: read it whenever it is needed. */
export type IntakeCounts = Readonly<Record<CountName, number>>;

const countOf: Readonly<Record<DeliveryEnd, CountName | null>> = {
  accepted: 'accepted',
  duplicate: 'duplicates',
  ignored: 'ignored',
  other_account: 'otherAccount',
  malformed: 'malformed',
  conflict: 'conflicts',
  invalid: 'invalid',
  unauthorized: 'unauthorized',
  too_large: 'tooLarge',
  failed: 'failed',
  unavailable: 'unavailable',
  // No delivery of a service, or not a whole one.
  wrong_method: null,
  unread: null,
};

export class IntakeCounter {
  readonly #counts: Record<CountName, number> = {
    accepted: 0,
    duplicates: 0,
    ignored: 0,
    otherAccount: 0,
    unauthorized: 0,
    tooLarge: 0,
    malformed: 0,
    conflicts: 0,
    invalid: 0,
    failed: 0,
    unavailable: 0,
  };

  get counts(): IntakeCounts {
    return this.#counts;
  }

  note(end: DeliveryEnd): void {
    const name = countOf[end];
    if (name !== null) this.#counts[name] += 1;
  }
}
