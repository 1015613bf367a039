import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { errorName } from '../../activities/error-name.ts';
import type { MetricsPlace } from '../settings.ts';

export interface HealthOptions {
  readonly place: MetricsPlace;
  readonly scrape: () => Promise<string>;
  readonly contentType: string;
  /** Why this process takes no work; null where it does. */
  readonly whyNotReady: () => string | null;
}

export interface HealthServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves `/metrics`, `/healthz` and `/readyz`. Throws an error that says what to do where the port cannot be used. */
export async function serveHealth(options: HealthOptions): Promise<HealthServer> {
  const { host, port } = options.place;
  const server = createServer((request, response) => void answer(options, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(unusable(error, host, port)));
    server.listen(port, host, resolve);
  });
  const { address, port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${isIPv6(address) ? `[${address}]` : address}:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  options: HealthOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const end = (status: number, text: string, type = 'text/plain; charset=utf-8'): void => {
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
  };
  const [path] = (request.url ?? '').split('?');
  if (path !== '/metrics' && path !== '/healthz' && path !== '/readyz') {
    return end(404, 'not found: there are /metrics, /healthz and /readyz\n');
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return end(405, 'use GET\n');
  switch (path) {
    case '/healthz':
      return end(200, 'ok\n');
    case '/readyz': {
      const why = options.whyNotReady();
      return why === null ? end(200, 'ready\n') : end(503, `not ready: ${why}\n`);
    }
    case '/metrics':
      try {
        return end(200, await options.scrape(), options.contentType);
      } catch (error) {
        return end(500, `the metrics cannot be read: ${errorName(error)}\n`);
      }
  }
}

function unusable({ code = 'unknown error' }: NodeJS.ErrnoException, host: string, port: number): Error {
  return new Error(
    code === 'EADDRINUSE' || code === 'EACCES'
      ? `port ${port} cannot be used for the metrics (${code}): end what uses it, or give another with --metrics-port`
      : `the metrics cannot be served on ${host} (${code}): give an address of this machine with --metrics-host`,
  );
}
