import { type Socket, connect } from 'node:net';
import type { ProxyMode } from './tcp-proxy.ts';

interface Piece {
  readonly bytes: Buffer;
  readonly readyAtMs: number;
}

/** One direction of a connection through the proxy: keeps its bytes in order, delivers them when they may go. */
class Pipe {
  readonly #to: Socket;
  #queue: Piece[] = [];
  #timer: NodeJS.Timeout | undefined;
  #held = false;
  #endAfter = false;

  constructor(to: Socket) {
    this.#to = to;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  push(bytes: Buffer, delayMs: number): void {
    const last = this.#queue.at(-1)?.readyAtMs ?? 0;
    this.#queue.push({ bytes, readyAtMs: Math.max(last, performance.now() + delayMs) });
    this.#deliver();
  }

  hold(held: boolean): void {
    this.#held = held;
    this.#deliver();
  }

  /** Ends the receiving side once everything is delivered. */
  end(): void {
    this.#endAfter = true;
    this.#deliver();
  }

  drop(): void {
    this.#queue = [];
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #deliver(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#held) return;
    for (let first = this.#queue[0]; first !== undefined; first = this.#queue[0]) {
      const restMs = first.readyAtMs - performance.now();
      if (restMs > 0) {
        this.#timer = setTimeout(() => this.#deliver(), Math.ceil(restMs));
        return;
      }
      this.#queue.shift();
      if (!this.#to.destroyed) this.#to.write(first.bytes);
    }
    if (this.#endAfter && !this.#to.destroyed) this.#to.end();
  }
}

/** One client's connection through the proxy, and the proxy's own to the service behind it. */
export class ProxyLink {
  /** Both sides are closed. */
  readonly ended: Promise<void>;
  readonly #client: Socket;
  readonly #service: Socket;
  readonly #requests: Pipe;
  readonly #answers: Pipe;
  #mode: ProxyMode = { kind: 'pass' };
  #mute = false;
  #bytesLeft = 0;
  #busy = false;

  constructor(client: Socket, to: { host: string; port: number }, onSent?: (piece: Buffer) => void) {
    this.#client = client;
    this.#service = connect({ ...to, noDelay: true, allowHalfOpen: true });
    this.#requests = new Pipe(this.#service);
    this.#answers = new Pipe(client);
    client.on('data', (bytes: Buffer) => {
      this.#busy = true;
      onSent?.(bytes);
      this.#pass(bytes, 'request', this.#requests);
    });
    this.#service.on('data', (bytes: Buffer) => {
      this.#busy = false;
      this.#pass(bytes, 'answer', this.#answers);
    });
    client.on('end', () => this.#clientLeft());
    client.on('close', () => this.#clientLeft());
    // What the client has written by then has left it: it is seen before the reset is handed on.
    this.#service.on('error', () => setTimeout(() => this.#whenOpen(() => client.resetAndDestroy()), 20));
    this.#service.on('end', () => this.#whenOpen(() => this.#answers.end()));
    this.ended = Promise.all([closed(client), closed(this.#service)]).then(() => {});
  }

  /** A client has sent something since it was last answered. */
  get isBusy(): boolean {
    return this.#busy && !this.#client.destroyed && !this.#client.readableEnded;
  }

  /** Takes on the proxy's mode. */
  enter(mode: ProxyMode): void {
    this.#mode = mode;
    if (mode.kind === 'half') this.#bytesLeft = mode.bytes;
    for (const pipe of [this.#requests, this.#answers]) pipe.hold(mode.kind === 'stall');
    if (mode.kind === 'reset') this.reset();
    // An end that was swallowed is told now: what was lost stays lost, but sockets do not pile up.
    if (mode.kind !== 'blackhole') {
      if (this.#client.destroyed || this.#client.readableEnded) this.#clientLeft();
      else if (this.#service.destroyed || this.#service.readableEnded) this.#answers.end();
    }
  }

  reset(): void {
    this.#requests.drop();
    this.#answers.drop();
    this.#client.resetAndDestroy();
    // One that is not connected yet cannot be reset.
    if (this.#service.connecting) this.#service.destroy();
    else this.#service.resetAndDestroy();
  }

  #pass(bytes: Buffer, of: 'request' | 'answer', pipe: Pipe): void {
    if (this.#mode.kind === 'blackhole') this.#mute = true;
    if (this.#mute) return;
    if (this.#mode.kind === 'half' && this.#mode.of === of) {
      const { after } = this.#mode;
      pipe.push(bytes.subarray(0, this.#bytesLeft), 0);
      this.#bytesLeft -= Math.min(bytes.length, this.#bytesLeft);
      if (this.#bytesLeft > 0) return;
      if (after === 'mute') this.#mute = true;
      // What was let pass must be on its way before the reset overtakes it.
      else setTimeout(() => this.reset(), 20);
      return;
    }
    pipe.push(bytes, this.#mode.kind === 'slow' ? this.#mode.latencyMs : 0);
  }

  /** The client ended or gave up: what is still on its way to the service is not delivered any more. */
  #clientLeft(): void {
    if (this.#mode.kind === 'blackhole' || this.#mode.kind === 'stall') return;
    this.#requests.drop();
    if (this.#service.connecting) this.#service.destroy();
    else this.#service.end();
    if (this.#client.destroyed) this.#service.destroySoon();
  }

  #whenOpen(tell: () => void): void {
    if (this.#mode.kind !== 'blackhole') tell();
  }
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.once('close', () => resolve()));
}
