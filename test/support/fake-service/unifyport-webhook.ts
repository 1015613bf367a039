import { createHmac, randomUUID } from 'node:crypto';
import { assertLoopback } from '../loopback.ts';

/** An event as the service words it. */
export interface WebhookEvent {
  /** The same over redeliveries: the dedupe key. */
  readonly id: string;
  readonly type: string;
  readonly provider: string;
  readonly account_id: string;
  /** RFC 3339. */
  readonly occurred_at: string;
  readonly data: unknown;
}

export interface DeliveryOptions {
  /** How often the event may be delivered again; 3 by default. */
  readonly redeliveries?: number;
  /** RFC 3339, of every delivery; the present one of each by default. */
  readonly timestamp?: string;
  /** Without an answer for so long, the connection counts as failed; 5 s by default. */
  readonly timeoutMs?: number;
}

/** Lowercase hex HMAC-SHA256 over the timestamp, a dot, and the raw body. */
export function signWebhook(secret: string, timestamp: string, body: string | Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}

/** The headers of one delivery. Assumption: each delivery has an id of its own. */
export function signedHeaders(
  secret: string,
  body: string | Uint8Array,
  { eventId, timestamp }: { readonly eventId: string; readonly timestamp: string },
): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'x-device-event-id': eventId,
    'x-device-delivery-id': `dlv_${randomUUID()}`,
    'x-device-timestamp': timestamp,
    'x-device-signature': signWebhook(secret, timestamp, body),
  };
}

/**
 * Delivers an event as the service does: again, at once and whatever `Retry-After` says, after a connection error, 408,
 * 429 and 5xx; never after anything else. Returns the status of each delivery, null where no answer came.
 */
export async function deliverWebhook(
  url: string,
  secret: string,
  event: WebhookEvent,
  options: DeliveryOptions = {},
): Promise<readonly (number | null)[]> {
  assertLoopback(url);
  const body = JSON.stringify(event);
  const statuses: (number | null)[] = [];
  for (let left = options.redeliveries ?? 3; left >= 0; left -= 1) {
    const timestamp = options.timestamp ?? new Date().toISOString();
    const headers = signedHeaders(secret, body, { eventId: event.id, timestamp });
    const status = await post(url, headers, body, options.timeoutMs ?? 5_000);
    statuses.push(status);
    if (!isRedelivered(status)) break;
  }
  return statuses;
}

function isRedelivered(status: number | null): boolean {
  return status === null || status === 408 || status === 429 || status >= 500;
}

async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMs: number,
): Promise<number | null> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}
