import type { SendProgress } from '../client/index.ts';

const terminalEveryMs = 200;
const fileEveryMs = 2000;

/** Shows on stderr how far a batch is, how fast it goes, and how long it will take. */
export class BatchProgress {
  readonly #total: number;
  readonly #startedMs = performance.now();
  #shownMs = performance.now();

  constructor(total: number) {
    this.#total = total;
  }

  update(progress: SendProgress): void {
    const nowMs = performance.now();
    const isTerminal = process.stderr.isTTY;
    if (nowMs - this.#shownMs < (isTerminal ? terminalEveryMs : fileEveryMs)) return;
    this.#shownMs = nowMs;
    const perSecond = this.#perSecond(progress.done);
    const leftSeconds = perSecond > 0 ? Math.ceil((this.#total - progress.done) / perSecond) : undefined;
    const left = leftSeconds === undefined ? '' : `, ${timeWords(leftSeconds)} left`;
    const line = `replylane: ${progress.done} of ${this.#total} handed over, ${perSecond.toFixed(0)}/s${left}`;
    process.stderr.write(isTerminal ? `\r\u001B[K${line}` : `${line}\n`);
  }

  /** The last line, always shown. */
  end(progress: SendProgress): void {
    if (process.stderr.isTTY) process.stderr.write('\r\u001B[K');
    const seconds = (performance.now() - this.#startedMs) / 1000;
    const { accepted, deduplicated, conflict, invalid, failed } = progress;
    const parts = [
      `${accepted} accepted`,
      `${deduplicated} there before`,
      ...(conflict > 0 ? [`${conflict} with a key of other content`] : []),
      ...(invalid + failed > 0 ? [`${invalid + failed} failed`] : []),
    ];
    const rate = `${seconds.toFixed(1)} s, ${this.#perSecond(progress.done).toFixed(0)}/s`;
    process.stderr.write(
      `replylane: ${progress.done} of ${this.#total} handed over: ${parts.join(', ')} (${rate})\n`,
    );
  }

  #perSecond(done: number): number {
    const seconds = (performance.now() - this.#startedMs) / 1000;
    return seconds > 0 ? done / seconds : 0;
  }
}

function timeWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}
