import { type AddressInfo, type Server, createServer } from 'node:net';
import { ProxyLink } from './tcp-proxy-link.ts';

/** What a proxy does with the connections that go through it. All are JSON-safe. */
export type ProxyMode =
  | { readonly kind: 'pass' }
  /** Connections are reset: the open ones at once, new ones right after they are made; what was sent till then is seen. */
  | { readonly kind: 'reset' }
  /**
   * Whatever is sent is swallowed, ends of connections too. A connection that has lost a byte stays mute afterwards, until
   * one of its sides closes it: nothing is ever delivered late, and nobody is told.
   */
  | { readonly kind: 'blackhole' }
  /** Nothing passes while it lasts; all of it is delivered afterwards, late and in order, as after a short partition. */
  | { readonly kind: 'stall' }
  /** Each connection passes so many bytes more of requests (or answers), then it is mute or reset. */
  | {
      readonly kind: 'half';
      readonly of: 'request' | 'answer';
      readonly bytes: number;
      readonly after: 'mute' | 'reset';
    }
  /** Each piece is delivered so much later, in order. What a sender gave up by closing is not delivered any more. */
  | { readonly kind: 'slow'; readonly latencyMs: number };

export interface TcpProxyOptions {
  readonly toPort: number;
  /** A free one by default. */
  readonly port?: number;
  /** Sees every piece that a client has sent, whatever becomes of it. */
  readonly onSent?: (piece: Buffer) => void;
}

export interface TcpProxy {
  readonly port: number;
  /** `127.0.0.1:port` */
  readonly address: string;
  readonly mode: ProxyMode;
  /** Open connections of clients. */
  readonly connections: number;
  /** Those on which a client has sent something since it was last answered. */
  readonly busy: number;
  set(mode: ProxyMode): void;
  /** Resets every open connection, whatever the mode. */
  resetAll(): void;
  close(): Promise<void>;
}

const host = '127.0.0.1';
/** A reset takes the way of a round trip at least: long enough to see what was sent at once. */
const resetAfterMs = 5;

/** A TCP proxy on loopback that can do to its connections what networks do. Starts by passing everything. */
export async function startTcpProxy(options: TcpProxyOptions): Promise<TcpProxy> {
  const links = new Set<ProxyLink>();
  let mode: ProxyMode = { kind: 'pass' };
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    client.on('error', () => {});
    if (mode.kind === 'reset') {
      if (options.onSent) client.on('data', options.onSent);
      setTimeout(() => client.resetAndDestroy(), resetAfterMs);
      return;
    }
    const link = new ProxyLink(client, { host, port: options.toPort }, options.onSent);
    links.add(link);
    link.enter(mode);
    void link.ended.then(() => links.delete(link));
  });
  const port = await listen(server, options.port ?? 0);
  const resetAll = (): void => {
    for (const link of links) link.reset();
  };
  return {
    port,
    address: `${host}:${port}`,
    get mode() {
      return mode;
    },
    get connections() {
      return links.size;
    },
    get busy() {
      return [...links].filter((link) => link.isBusy).length;
    },
    set(next) {
      mode = next;
      for (const link of links) link.enter(next);
    },
    resetAll,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      resetAll();
      await closed;
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}
