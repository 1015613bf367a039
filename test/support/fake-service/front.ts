import type { Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { ConnectionRecord } from './arrival.ts';

const HOST = '127.0.0.1';

interface Connection {
  readonly id: number;
  readonly socket: Socket;
  requests: number;
  outstanding: number;
  idleTimer: NodeJS.Timeout | undefined;
}

export interface FrontOptions {
  /** Keep-alive sockets are closed, unannounced, after so long without a request; undefined: never. */
  readonly idleCloseMs: number | undefined;
  readonly onChange: () => void;
}

/** The TCP side of the fake: one port that can be closed and opened again, and the connections it accepted. */
export class Front {
  readonly #http: HttpServer;
  readonly #options: FrontOptions;
  readonly #connections: Connection[] = [];
  readonly #bySocket = new WeakMap<Socket, Connection>();
  #listener: Server | null = null;
  #resetsLeft = 0;

  constructor(http: HttpServer, options: FrontOptions) {
    this.#http = http;
    this.#options = options;
  }

  get connections(): readonly ConnectionRecord[] {
    return this.#connections.map(({ id, requests, socket }) => {
      return { id, requests, bytesRead: socket.bytesRead, open: !socket.destroyed };
    });
  }

  /** Begins to accept connections; nothing happens when it does already. Returns the port. */
  async open(port: number): Promise<number> {
    if (this.#listener !== null) return port;
    // Half-open as node:http's own listener: a sender that ended its side still gets its answer.
    const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket));
    this.#listener = listener;
    await new Promise<void>((resolve, reject) => {
      listener.once('error', (error) => {
        this.#listener = null;
        reject(error);
      });
      listener.listen(port, HOST, resolve);
    });
    return (listener.address() as AddressInfo).port;
  }

  /** Refuses new connections from now on. Idle ones are closed, busy ones may finish and are closed then. */
  close(): void {
    this.#listener?.close();
    this.#listener = null;
    for (const connection of this.#connections) this.#closeIfIdle(connection);
  }

  /** Resets every open connection, whatever is outstanding on it. */
  resetAll(): void {
    for (const { socket } of this.#connections) {
      if (!socket.destroyed) socket.resetAndDestroy();
    }
  }

  /** The next connections are reset as soon as they are accepted, before anything is read. */
  resetNext(count: number): void {
    this.#resetsLeft = count;
  }

  /** Notes the begin of a request on its connection; returns the connection's id and what to call at its end. */
  beginRequest(socket: Socket): { readonly connection: number; readonly end: () => void } {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) throw new Error('request on a connection that was never accepted');
    connection.requests += 1;
    connection.outstanding += 1;
    clearTimeout(connection.idleTimer);
    return { connection: connection.id, end: () => this.#endRequest(connection) };
  }

  #accept(socket: Socket): void {
    const connection: Connection = {
      id: this.#connections.length + 1,
      socket,
      requests: 0,
      outstanding: 0,
      idleTimer: undefined,
    };
    this.#connections.push(connection);
    this.#bySocket.set(socket, connection);
    socket.on('error', () => {}); // the sender may reset at any time
    socket.on('close', () => {
      clearTimeout(connection.idleTimer);
      this.#options.onChange();
    });
    if (this.#resetsLeft > 0) {
      this.#resetsLeft -= 1;
      socket.resetAndDestroy();
    } else {
      this.#http.emit('connection', socket);
    }
    this.#options.onChange();
  }

  #endRequest(connection: Connection): void {
    connection.outstanding -= 1;
    const { idleCloseMs } = this.#options;
    if (this.#listener === null) this.#closeIfIdle(connection);
    else if (idleCloseMs !== undefined && connection.outstanding === 0 && !connection.socket.destroyed) {
      connection.idleTimer = setTimeout(() => this.#closeIfIdle(connection), idleCloseMs);
    }
  }

  #closeIfIdle(connection: Connection): void {
    // Closed in both directions, so that a request sent meanwhile is not read but answered with a reset.
    if (connection.outstanding === 0) connection.socket.destroySoon();
  }
}
