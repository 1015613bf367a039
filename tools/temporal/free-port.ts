import { connect, createServer } from 'node:net';

/**
 * A port nobody listens on. The connection that is accepted and closed from the listening side leaves the port in
 * TIME_WAIT for a while, so that the system does not hand it to the next asker before the server has bound it.
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  return await new Promise((resolve, reject) => {
    const listener = createServer();
    listener.on('error', reject);
    listener.listen(0, host, () => {
      const bound = listener.address();
      if (bound === null || typeof bound === 'string') return reject(new Error('No port was bound.'));
      const probe = connect(bound.port, host).on('error', reject);
      listener.once('connection', (socket) => {
        socket.on('close', () => {
          probe.destroy();
          listener.close(() => resolve(bound.port));
        });
        socket.destroy();
      });
    });
  });
}
