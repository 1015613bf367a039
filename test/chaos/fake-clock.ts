import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const hourMs = 3_600_000;
/** Far less than the hour that the control is to show, far more than it takes. */
const slackMs = 60_000;

/**
 * The wall clock of a process, made wrong by libfaketime, whose path `npm run chaos` gives in `REPLYLANE_FAKETIME`. It may be
 * stepped while the process runs: the file is read again once a second. The monotonic clock stays right, as on a real
 * machine.
 */
export class FakeClock {
  readonly #file: string;
  readonly #library: string;

  constructor(folder: string, name: string, library = process.env['REPLYLANE_FAKETIME']) {
    if (!library) throw new Error('REPLYLANE_FAKETIME is not set: start it by `npm run chaos`.');
    this.#file = join(folder, `clock-${name}`);
    this.#library = library;
    this.set(0);
  }

  /** Milliseconds ahead of the truth; below zero behind it. */
  set(offsetMs: number): void {
    writeFileSync(this.#file, `${offsetMs < 0 ? '' : '+'}${offsetMs / 1000}\n`);
  }

  /** What a process must find in its environment. */
  get env(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }
}

/** The control: a process under such a clock does live in another hour. Throws where it does not. */
export async function expectFakeClocks(folder: string): Promise<void> {
  const clock = new FakeClock(folder, 'control');
  clock.set(-hourMs);
  const env = { ...process.env, ...clock.env };
  const { stdout } = await promisify(execFile)(process.execPath, ['-p', 'Date.now()'], { env });
  const behindMs = Date.now() - Number(stdout);
  if (!(Math.abs(behindMs - hourMs) < slackMs))
    throw new Error(`libfaketime does nothing here: an hour back was ${behindMs} ms.`);
}
