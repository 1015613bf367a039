import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WorkerProcess, startWorkerProcess } from '../support/rig/worker-process.ts';
import { type TcpProxy, startTcpProxy } from '../support/tcp-proxy.ts';
import { FakeClock } from './fake-clock.ts';

export interface WorkerSlotOptions {
  readonly index: number;
  readonly folder: string;
  readonly temporalPort: number;
  readonly servicePort: number;
  /** Configuration of a worker that finds the service at this root. */
  readonly configOf: (apiRoot: string) => unknown;
  readonly env: Readonly<Record<string, string>>;
  readonly onSent: (piece: Buffer) => void;
  readonly log: (line: string) => void;
}

const restartAfterMs = 500;

/**
 * One worker process, started again whenever it ends, as an orchestrator would, with a network of its own: a proxy to the
 * service and one to Temporal.
 */
export class WorkerSlot {
  readonly service: TcpProxy;
  readonly temporal: TcpProxy;
  /** Starts that failed, and ends that nobody asked for. */
  trouble: string[] = [];
  readonly #options: WorkerSlotOptions;
  readonly #clock: FakeClock;
  readonly #configFile: string;
  #process: WorkerProcess | null = null;
  #down = new AbortController();
  #downMs = restartAfterMs;
  #asked = false;
  #closing = false;
  #supervised: Promise<void> = Promise.resolve();

  private constructor(options: WorkerSlotOptions, service: TcpProxy, temporal: TcpProxy) {
    this.#options = options;
    this.service = service;
    this.temporal = temporal;
    this.#clock = new FakeClock(options.folder, String(options.index));
    this.#configFile = join(options.folder, `config-${options.index}.json`);
  }

  /** Resolves when the process takes work. */
  static async start(options: WorkerSlotOptions): Promise<WorkerSlot> {
    const [service, temporal] = await Promise.all([
      startTcpProxy({ toPort: options.servicePort, onSent: options.onSent }),
      startTcpProxy({ toPort: options.temporalPort }),
    ]);
    await mkdir(options.folder, { recursive: true });
    const slot = new WorkerSlot(options, service, temporal);
    await writeFile(slot.#configFile, JSON.stringify(options.configOf(`http://${service.address}`)));
    slot.#process = await slot.#startProcess();
    process.on('exit', () => void slot.#process?.kill());
    slot.#supervised = slot.#supervise();
    return slot;
  }

  get isUp(): boolean {
    return this.#process !== null;
  }

  /** SIGKILL; started again after `downMs`. False where it was down already. */
  kill(downMs: number): boolean {
    if (!this.#process) return false;
    this.#expectEnd(downMs);
    void this.#process.kill();
    return true;
  }

  /** SIGTERM; started again `downMs` after its end. */
  stop(downMs: number): boolean {
    if (!this.#process) return false;
    this.#expectEnd(downMs);
    void this.#process.stop();
    return true;
  }

  /** Stands still for so long, or until `ending`. */
  async freeze(forMs: number, ending: AbortSignal): Promise<void> {
    const frozen = this.#process;
    if (!frozen) return;
    frozen.freeze();
    await sleep(forMs, undefined, { signal: ending }).catch(() => {});
    frozen.thaw();
  }

  setClock(offsetMs: number): void {
    this.#clock.set(offsetMs);
  }

  /** Starts it at once, if it is down. */
  hurry(): void {
    this.#down.abort();
  }

  /** Ends the process for good. */
  async close(): Promise<void> {
    this.#closing = true;
    this.hurry();
    this.kill(0);
    await this.#supervised;
    await Promise.all([this.service.close(), this.temporal.close()]);
  }

  #expectEnd(downMs: number): void {
    this.#asked = true;
    this.#downMs = downMs;
  }

  async #supervise(): Promise<void> {
    while (this.#process) {
      const how = await this.#process.exited;
      const output = this.#process.output();
      this.#process = null;
      if (!this.#asked) this.#note(`ended by itself (${String(how)}): ${output.slice(-4000)}`);
      while (!this.#process && !this.#closing) {
        this.#down = new AbortController();
        await sleep(this.#downMs, undefined, { signal: this.#down.signal }).catch(() => {});
        this.#asked = false;
        this.#downMs = restartAfterMs;
        if (this.#closing) return;
        this.#process = await this.#startProcess().catch((error: unknown) => {
          this.#note(
            `did not start: ${error instanceof Error ? error.message.slice(0, 2000) : String(error)}`,
          );
          return null;
        });
      }
      if (this.#closing) await this.#process?.kill();
    }
  }

  #note(trouble: string): void {
    this.trouble.push(trouble);
    this.#options.log(`worker ${this.#options.index} ${trouble.split('\n')[0]}`);
  }

  #startProcess(): Promise<WorkerProcess> {
    return startWorkerProcess({
      ...this.#options.env,
      TEMPORAL_ADDRESS: this.temporal.address,
      REPLYLANE_CONFIG: this.#configFile,
      ...this.#clock.env,
    });
  }
}
