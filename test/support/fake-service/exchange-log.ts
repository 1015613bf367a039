import type { Arrival, Deadline, OpenArrival, StoredMessage } from './arrival.ts';

interface Waiter {
  /** True when the waiter is done and may be forgotten. */
  check(): boolean;
}

/** The evidence of a fake: arrivals, announced deadlines, stored messages. Tells its waiters of every change. */
export class ExchangeLog {
  readonly arrivals: Arrival[] = [];
  readonly deadlines: Deadline[] = [];
  readonly stored: StoredMessage[] = [];
  readonly #outstanding = new Map<string, number>();
  readonly #maxOutstanding = new Map<string, number>();
  readonly #waiters = new Set<Waiter>();

  outstanding(bot: string): number {
    return this.#outstanding.get(bot) ?? 0;
  }

  maxOutstanding(bot: string): number {
    return this.#maxOutstanding.get(bot) ?? 0;
  }

  begin(head: Pick<Arrival, 'atMs' | 'bot' | 'method' | 'connection' | 'early'>): OpenArrival {
    const arrival: OpenArrival = {
      ...head,
      n: this.arrivals.length + 1,
      chat: null,
      text: null,
      params: null,
      verdict: 'none',
      httpStatus: null,
      received: 'head',
      bodyBytes: 0,
      answeredAtMs: null,
      closedAtMs: null,
    };
    this.arrivals.push(arrival);
    if (arrival.bot !== null) {
      const outstanding = this.outstanding(arrival.bot) + 1;
      this.#outstanding.set(arrival.bot, outstanding);
      this.#maxOutstanding.set(arrival.bot, Math.max(outstanding, this.maxOutstanding(arrival.bot)));
    }
    this.changed();
    return arrival;
  }

  close(arrival: OpenArrival, closedAtMs: number): void {
    arrival.closedAtMs = closedAtMs;
    if (arrival.bot !== null) this.#outstanding.set(arrival.bot, this.outstanding(arrival.bot) - 1);
    this.changed();
  }

  store(message: StoredMessage): void {
    this.stored.push(message);
    this.changed();
  }

  changed(): void {
    for (const waiter of this.#waiters) {
      if (waiter.check()) this.#waiters.delete(waiter);
    }
  }

  /** Resolves with what `look` returns as soon as that is truthy; looks now and after every change. */
  async waitFor<T>(look: () => T, timeoutMs: number): Promise<NonNullable<T>> {
    const now = look();
    if (now) return now;
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
      };
      const waiter: Waiter = {
        check() {
          try {
            const seen = look();
            if (!seen) return false;
            resolve(seen);
          } catch (error) {
            reject(error);
          }
          finish();
          return true;
        },
      };
      const timer = setTimeout(() => {
        finish();
        reject(new Error(`not seen within ${timeoutMs} ms; ${this.#summary()}`));
      }, timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  #summary(): string {
    const last = this.arrivals.slice(-8).map((arrival) => {
      const { n, bot, chat, verdict, httpStatus, received } = arrival;
      return `#${n} ${bot} ${chat} ${verdict} ${httpStatus} ${received}`;
    });
    return `${this.arrivals.length} arrivals, ${this.stored.length} stored; last: ${last.join('; ') || 'none'}`;
  }
}
