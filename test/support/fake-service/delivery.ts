import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Delivery } from './steps.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes an answer in the way asked for. Ends quietly when the sender is gone; rejects when `signal` ends the fake. */
export async function deliver(
  response: ServerResponse,
  answer: RawAnswer,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<void> {
  const { socket } = response;
  if (socket === null || socket.destroyed) return;
  const body = Buffer.from(answer.body, 'utf8');
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    ...answer.headers,
    'content-length': body.length,
  });
  switch (delivery.kind) {
    case 'whole':
      response.end(body);
      return;
    case 'then_close':
      response.end(body, () => socket.destroySoon());
      return;
    case 'cut':
      response.flushHeaders();
      response.write(body.subarray(0, delivery.afterBytes), () => socket.destroySoon());
      return;
    case 'trickle':
      for (let at = 0; at < body.length && !socket.destroyed; at += delivery.chunkBytes) {
        response.write(body.subarray(at, at + delivery.chunkBytes));
        await pause(delivery.everyMs, undefined, { signal });
      }
      response.end();
  }
}
