import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import type { Certificates } from './certificates.ts';

export interface TlsFront {
  /** `127.0.0.1:port` */
  readonly address: string;
  /** Names in the client certificates of the connections that were let through. */
  readonly clients: readonly string[];
  close(): Promise<void>;
}

/** TLS in front of a server on this machine, which lets those through that have a certificate of the authority. */
export async function startTlsFront(certificates: Certificates, toPort: number): Promise<TlsFront> {
  const { ca, server: own } = certificates;
  const clients: string[] = [];
  const sockets = new Set<{ destroy(): void }>();
  const server = createServer(
    {
      ca: readFileSync(ca),
      cert: readFileSync(own.cert),
      key: readFileSync(own.key),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    (socket) => {
      clients.push(String(socket.getPeerCertificate().subject.CN));
      const behind = connect(toPort, '127.0.0.1');
      for (const [one, other] of [
        [socket, behind],
        [behind, socket],
      ] as const) {
        sockets.add(one);
        one.on('error', () => other.destroy());
        one.once('close', () => (sockets.delete(one), other.destroy()));
        one.pipe(other);
      }
    },
  );
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    clients,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
