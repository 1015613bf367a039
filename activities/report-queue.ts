import type { Report } from '../domain/lane/messages.ts';
import { errorName } from './error-name.ts';
import type { LaneClient } from './lane-client.ts';
import { pause } from './pause.ts';

const maxReportsInSignal = 100;
const longestPauseMs = 5000;

interface Waiting {
  readonly report: Omit<Report, 'ageMs'>;
  readonly answeredAtMs: number;
  readonly resolve: () => void;
}

/**
 * Reports of one worker process to the lane of one bot, in their order, gathered while one Signal is under way. A report
 * is kept until the server has it: it may hold a flood (rule 2). Twice does no harm.
 */
export class ReportQueue {
  readonly #bot: string;
  readonly #lanes: LaneClient;
  readonly #log: (problem: string) => void;
  #waiting: Waiting[] = [];
  #sending = false;

  constructor(options: {
    readonly bot: string;
    readonly lanes: LaneClient;
    readonly log: (problem: string) => void;
  }) {
    this.#bot = options.bot;
    this.#lanes = options.lanes;
    this.#log = options.log;
  }

  /** Resolves when the lane's server has the report. `answeredAtMs` is this process's monotonic clock. */
  add(report: Omit<Report, 'ageMs'>, answeredAtMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ report, answeredAtMs, resolve });
      void this.#send();
    });
  }

  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    for (let pauseMs = 100; this.#waiting.length > 0;) {
      const batch = this.#waiting.slice(0, maxReportsInSignal);
      const nowMs = performance.now();
      const reports = batch.map(({ report, answeredAtMs }) => ({
        ...report,
        ageMs: Math.max(0, Math.floor(nowMs - answeredAtMs)),
      }));
      try {
        await this.#lanes.report(this.#bot, reports);
        this.#waiting = this.#waiting.slice(batch.length);
        for (const { resolve } of batch) resolve();
        pauseMs = 100;
      } catch (error) {
        this.#log(`lane of ${this.#bot}: a report is kept and sent again: ${errorName(error)}`);
        await pause(pauseMs);
        pauseMs = Math.min(longestPauseMs, pauseMs * 2);
      }
    }
    this.#sending = false;
  }
}
