import type { Server } from 'node:http';
import { type AddressInfo, type Socket, isIPv6 } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';

export interface Listening {
  readonly url: string;
  /** Takes nothing new, and resolves when all that was taken is answered, or the grace is over. */
  stop(): Promise<void>;
}

export interface ListenOptions {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

/** Longer than a start may take. */
const stopGraceMs = 15_000;
const closeIdleEveryMs = 100;
/** For a request that is on its way over a new connection. */
const unusedGraceMs = 1000;

/** Serves HTTP. Throws an error that says what to do where the port cannot be used. */
export async function listen({ fetch, host, port }: ListenOptions): Promise<Listening> {
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false }) as Server;
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(unusable(error, host, port)));
    server.listen(port, host, resolve);
  });
  const { address, port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${isIPv6(address) ? `[${address}]` : address}:${taken}`,
    stop: () => stop(server, unused),
  };
}

function unusable({ code = 'unknown error' }: NodeJS.ErrnoException, host: string, port: number): Error {
  return new Error(
    code === 'EADDRINUSE' || code === 'EACCES'
      ? `port ${port} cannot be used (${code}): end what uses it, or give another with --port`
      : `cannot listen on ${host} (${code}): give an address of this machine with --host`,
  );
}

/** `unused`: connections that have carried no request yet, which the server itself does not count as idle. */
async function stop(server: Server, unused: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that was busy when the server was told to close is not closed by that when it falls idle.
  const idle = setInterval(() => server.closeIdleConnections(), closeIdleEveryMs);
  const unusedGrace = setTimeout(() => unused.forEach((socket) => socket.destroy()), unusedGraceMs);
  const grace = setTimeout(() => server.closeAllConnections(), stopGraceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(unusedGrace);
  clearTimeout(grace);
}
