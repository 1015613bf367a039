import type { Arrival, OpenArrival, StoredMessage } from './arrival.ts';
import { ExchangeLog } from './exchange-log.ts';

/** One request to the fake. `bot` is the account's name, `chat` is `<type>:<id>`; both stand in the body. */
export interface UnifyportArrival extends Arrival {
  /** As the request names it; null until the body is whole. */
  readonly account: string | null;
  /** The header `X-Request-Id`, as the sender gave it. */
  readonly requestId: string | null;
}

/** The fake's own hand on an arrival. */
export type OpenUnifyportArrival = { -readonly [Field in keyof UnifyportArrival]: UnifyportArrival[Field] };

/** A message that the service took. It is answered with `messageId` as text. */
export interface UnifyportMessage extends StoredMessage {
  readonly account: string;
}

type Head = Pick<Arrival, 'atMs' | 'method' | 'connection'> & Pick<UnifyportArrival, 'requestId'>;

/**
 * The evidence of a fake with connected accounts. Whose a request is stands in its body, so what is outstanding is
 * counted by the arrivals, and not from their heads on.
 */
export class UnifyportLog extends ExchangeLog {
  override readonly arrivals: UnifyportArrival[] = [];
  override readonly stored: UnifyportMessage[] = [];

  open(head: Head): OpenUnifyportArrival {
    const whole = { ...head, bot: null, early: false, account: null };
    return this.begin(whole) as OpenUnifyportArrival;
  }

  override close(arrival: OpenArrival, closedAtMs: number): void {
    arrival.closedAtMs = closedAtMs;
    this.changed();
  }

  override store(message: UnifyportMessage): void {
    super.store(message);
  }

  override outstanding(bot: string): number {
    return this.arrivals.filter((arrival) => arrival.bot === bot && arrival.closedAtMs === null).length;
  }
}
