import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { connectTemporal } from '../../client/index.ts';
import { type FakeTelegram, startFakeTelegram } from '../../test/support/fake-service/index.ts';
import { type DevServer, startDevServer } from '../temporal/launcher.ts';
import { demoConfig, demoEnvironment, tokens } from './demo-config.ts';
import { demoBot, naiveBot, serviceWindows } from './plan.ts';
import { DemoWorker } from './worker.ts';

/** Long enough for a server to stop in order; its watchdog ends it after that. */
const stopWithinMs = 12_000;

/** All that runs during the demo: the service, Temporal, the workers, and a folder for their settings. */
export class Stage {
  readonly fake: FakeTelegram;
  readonly folder: string;
  readonly workers: DemoWorker[] = [];
  readonly #server: Promise<DevServer>;
  #client: Client | undefined;
  #env: NodeJS.ProcessEnv = {};
  #closing: Promise<void> | undefined;
  #fail: (why: Error) => void = () => {};
  /** Rejects when the server or a worker ends by itself. Never resolves. */
  readonly failure = new Promise<never>((_, reject) => (this.#fail = reject));

  private constructor(fake: FakeTelegram) {
    this.fake = fake;
    this.folder = mkdtempSync(join(tmpdir(), 'replylane-demo-'));
    // Whatever ends this process: the folder goes with it.
    process.once('exit', this.#removeFolder);
    this.#server = startDevServer();
    this.failure.catch(() => {});
    this.#server.then(
      ({ exited }) =>
        void exited.then((how) => this.#noteEnd(`The Temporal server ended by itself (${how}).`)),
      () => {},
    );
  }

  /** Starts the service, and begins to start Temporal. */
  static async open(): Promise<Stage> {
    const penalty = { early: { kind: 'add_seconds', seconds: 1 } } as const;
    const rules = { windows: serviceWindows, penalty };
    const fake = await startFakeTelegram({
      bots: {
        [tokens[demoBot]]: { name: demoBot, ...rules },
        [tokens[naiveBot]]: { name: naiveBot, ...rules },
      },
    });
    return new Stage(fake);
  }

  /** Resolves when Temporal answers. */
  async connect(): Promise<DevServer> {
    const server = await this.#server;
    const config = join(this.folder, 'replylane.config.json');
    writeFileSync(config, JSON.stringify(demoConfig(this.fake.apiRoot), null, 2));
    // Settings of Temporal that this machine's user has elsewhere must not lead there.
    const temporalConfig = join(this.folder, 'temporal.toml');
    writeFileSync(temporalConfig, '[profile.default]\n');
    this.#env = demoEnvironment({ config, temporalConfig, address: server.address });
    this.#client = await connectTemporal({ env: this.#env, connectTimeoutMs: 20_000 });
    return server;
  }

  get client(): Client {
    if (this.#client === undefined) throw new Error('The demo is not connected to Temporal.');
    return this.#client;
  }

  /** Environment in which every process of the project finds this stage. */
  get env(): NodeJS.ProcessEnv {
    return this.#env;
  }

  /** Starts one more worker process; await its `ready`. */
  addWorker(): DemoWorker {
    if (this.#closing !== undefined) throw new Error('The demo is over.');
    const worker = new DemoWorker(this.workers.length + 1, this.#env);
    this.workers.push(worker);
    void worker.endedByItself.then((how) => this.#noteEnd(how));
    return worker;
  }

  /**
   * Ends everything but the connection to Temporal, which ends with this process: to close it while a call is tried again
   * makes the SDK throw where nobody can catch. Resolves when nothing is left. May be called again.
   */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #noteEnd(how: string): void {
    if (this.#closing === undefined) this.#fail(new Error(how));
  }

  async #end(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()));
    const stopped = this.#server.then(
      (server) => server.stop(),
      () => {},
    );
    await Promise.race([stopped, pause(stopWithinMs, undefined, { ref: false })]);
    await this.fake.stop();
    process.off('exit', this.#removeFolder);
    this.#removeFolder();
  }

  readonly #removeFolder = (): void => rmSync(this.folder, { recursive: true, force: true });
}
