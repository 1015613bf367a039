import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageRoot } from '../temporal/package-root.ts';
import { endWithThisProcess } from '../temporal/watchdog.ts';

const readyWithinMs = 60_000;

/** One worker process of the demo: known from its start on, so that it can be ended before it is ready too. */
export class DemoWorker {
  readonly number: number;
  readonly pid: number;
  /** Resolves when it takes work; rejects when it ends before that, or takes too long. */
  readonly ready: Promise<void>;
  /** How it ended: its exit code, or the name of a signal. */
  readonly ended: Promise<string>;
  /** Resolves with a sentence when it ends without having been killed by the demo. */
  readonly endedByItself: Promise<string>;
  readonly #child: ChildProcess;
  #tail = '';
  #isWanted = true;

  constructor(number: number, env: NodeJS.ProcessEnv) {
    this.number = number;
    const main = join(packageRoot(), 'dist', 'workers', 'main.js');
    this.#child = spawn(process.execPath, ['--enable-source-maps', main], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Out of the terminal's process group: Ctrl-C is for the demo, which ends its workers itself.
      detached: process.platform !== 'win32',
    });
    this.pid = this.#child.pid ?? 0;
    if (this.#child.pid !== undefined) {
      const watchdog = endWithThisProcess(this.#child.pid);
      this.#child.once('exit', () => watchdog.release());
    }
    this.ended = once(this.#child, 'exit').then(
      ([code, signal]) => (signal as NodeJS.Signals | null) ?? `exit code ${code as number}`,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    this.endedByItself = new Promise((resolve) => {
      void this.ended.then((how) => {
        if (this.#isWanted) resolve(`Worker ${number} ended by itself (${how}):\n${this.#tail.trimEnd()}`);
      });
    });
    this.ready = this.#untilReady();
    this.ready.catch(() => {});
  }

  /** SIGKILL; gives how the process ended. */
  async kill(): Promise<string> {
    this.#isWanted = false;
    this.#child.kill('SIGKILL');
    return this.ended;
  }

  async #untilReady(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const seen = new Promise<void>((resolve) => {
      for (const stream of [this.#child.stdout, this.#child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text: string) => {
          this.#tail = (this.#tail + text).slice(-4096);
          if (this.#tail.includes('worker: ready')) resolve();
        });
      }
    });
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(
          new Error(`Worker ${this.number} was not ready within ${readyWithinMs / 1000} s:\n${this.#tail}`),
        );
      }, readyWithinMs);
    });
    const ended = this.ended.then((how) => {
      throw new Error(`Worker ${this.number} ended before it was ready (${how}):\n${this.#tail.trimEnd()}`);
    });
    try {
      await Promise.race([seen, late, ended]);
    } finally {
      clearTimeout(timer);
      ended.catch(() => {});
    }
  }
}
