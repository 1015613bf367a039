import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../tools/temporal/free-port.ts';
import { type DevServer, startDevServer } from '../../tools/temporal/launcher.ts';

/** The Temporal server of a run: keeps everything in a file, and comes back on the same ports when it was killed. */
export class TemporalSlot {
  readonly port: number;
  readonly #options: { readonly port: number; readonly uiPort: number; readonly dbFilename: string };
  #server: DevServer;
  #restart: Promise<void> | null = null;

  private constructor(options: { port: number; uiPort: number; dbFilename: string }, server: DevServer) {
    this.port = options.port;
    this.#options = options;
    this.#server = server;
  }

  static async start(folder: string): Promise<TemporalSlot> {
    const options = {
      port: await freePort(),
      uiPort: await freePort(),
      dbFilename: join(folder, 'temporal.db'),
    };
    return new TemporalSlot(options, await startDevServer(options));
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get isUp(): boolean {
    return this.#restart === null;
  }

  /** SIGKILL, and a start on the same file after `downMs` (or `ending`). Resolves when it answers again. */
  async kill(downMs: number, ending: AbortSignal): Promise<void> {
    if (this.#restart) return this.#restart;
    this.#restart = (async () => {
      await this.#server.kill();
      await sleep(downMs, undefined, { signal: ending }).catch(() => {});
      this.#server = await startDevServer(this.#options);
    })();
    try {
      await this.#restart;
    } finally {
      this.#restart = null;
    }
  }

  async stop(): Promise<void> {
    await this.#restart;
    await this.#server.stop();
  }
}
