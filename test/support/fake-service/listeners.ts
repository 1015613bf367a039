import { createServer, type AddressInfo } from 'node:net';

export interface ResettingListener {
  /** An `https` root: the handshake with it always fails. */
  readonly apiRoot: string;
  readonly connections: number;
  stop(): Promise<void>;
}

/**
 * A TCP listener that resets each connection: `on_accept` at once, `in_handshake` after the first bytes of the sender's
 * TLS hello. Either way no byte of an HTTP request can have been sent.
 */
export async function startResettingListener(
  when: 'on_accept' | 'in_handshake' = 'in_handshake',
): Promise<ResettingListener> {
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {});
    if (when === 'on_accept') socket.resetAndDestroy();
    else socket.once('data', () => socket.resetAndDestroy());
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(0, '127.0.0.1', resolve);
  });
  return {
    apiRoot: `https://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    stop: () => new Promise((resolve) => void listener.close(() => resolve())),
  };
}
