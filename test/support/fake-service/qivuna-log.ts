import type { Arrival, StoredMessage, Verdict } from './arrival.ts';
import { ExchangeLog } from './exchange-log.ts';

/** `replayed`: answered from the store, nothing taken. The others as at every fake; a 409 is `refused`. */
export type QivunaVerdict = Verdict | 'replayed';

/** One request whose head was read. Never holds the token. */
export interface QivunaArrival extends Omit<Arrival, 'verdict'> {
  readonly verdict: QivunaVerdict;
  /** The `Idempotency-Key` as it came, good or bad; null without one. */
  readonly idempotencyKey: string | null;
}

/** The fake's own hand on an arrival. */
export type OpenQivunaArrival = { -readonly [Field in keyof QivunaArrival]: QivunaArrival[Field] };

export interface QivunaMessage extends StoredMessage {
  readonly idempotencyKey: string | null;
}

type Head = Pick<QivunaArrival, 'atMs' | 'bot' | 'method' | 'connection' | 'early' | 'idempotencyKey'>;

/** The evidence of a fake Qivuna: that of every fake, with the key of each request. */
export class QivunaLog {
  readonly #log = new ExchangeLog();
  // The log keeps the very objects that it is given or has made, so whatever is added to them stays.
  readonly arrivals = this.#log.arrivals as readonly object[] as readonly QivunaArrival[];
  readonly stored = this.#log.stored as readonly StoredMessage[] as readonly QivunaMessage[];
  readonly deadlines = this.#log.deadlines;

  begin(head: Head): OpenQivunaArrival {
    return this.#log.begin(head) as object as OpenQivunaArrival;
  }

  close(arrival: OpenQivunaArrival, closedAtMs: number): void {
    this.#log.close(arrival as object as Parameters<ExchangeLog['close']>[0], closedAtMs);
  }

  store(message: QivunaMessage): void {
    this.#log.store(message);
  }

  changed(): void {
    this.#log.changed();
  }

  outstanding(bot: string): number {
    return this.#log.outstanding(bot);
  }

  maxOutstanding(bot: string): number {
    return this.#log.maxOutstanding(bot);
  }

  waitFor<T>(look: () => T, timeoutMs: number): Promise<NonNullable<T>> {
    return this.#log.waitFor(look, timeoutMs);
  }
}
