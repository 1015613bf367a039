import type { Ask, Report, Verdict } from '../domain/lane/messages.ts';
import type { LanePolicy } from '../domain/lane/policy.ts';
import { type LaneClient, laneTrouble } from './lane-client.ts';
import { errorName } from './error-name.ts';
import { LaneWatch } from './lane-watch.ts';
import { type Observe, harmless } from './observe.ts';
import { orLate, pause } from './pause.ts';
import { ReportQueue } from './report-queue.ts';

/**
 * Batches leave at most this often, the first at once: twice what the last one took, so that they are the rarer the busier
 * the lane is (rule 11; decision 012).
 */
const flushLeastMs = 75;
const flushMostMs = 150;
/** After this time an ask is given up; its Update goes on, and the lane refuses what is applied late (rule 12). */
const giveUpAfterMs = 10_000;
const maxAsksInBatch = 100;
const longestCallMs = 120_000;

/** What a worker learned of one ask. Instants are this process's monotonic clock. */
export type AskAnswer =
  | {
      readonly kind: 'verdict';
      readonly verdict: Verdict;
      readonly askedAtMs: number;
      readonly heardAtMs: number;
    }
  /** The lane did not answer in time; a late `go` is given back by itself. */
  | { readonly kind: 'no_answer'; readonly why: string };

interface Waiting {
  readonly ask: Ask;
  readonly resolve: (answer: AskAnswer) => void;
  timer: NodeJS.Timeout;
  /** When it first left: a claim's life counts from before it was asked (invariant 4). */
  askedAtMs: number | undefined;
  givenUp: boolean;
}

/**
 * One worker process's conversation with the lane of one bot: gathers asks (one Update in flight) and reports
 * (Signals), keeps the lane's clock, and keeps this process's own claims back from a flood until the lane has it.
 */
export class ClaimBatch {
  readonly bot: string;
  readonly #lanes: LaneClient;
  readonly #policy: () => LanePolicy;
  readonly #log: (problem: string) => void;
  #queue: Waiting[] = [];
  #flushing = false;
  #nextFlushMs = -Infinity;
  readonly #reports: ReportQueue;
  #reportsKept = 0;
  readonly #watch: LaneWatch;
  readonly #observe: Observe;
  /** Lane time minus monotonic time, never ahead of the truth. */
  #clockOffsetMs: number | undefined;
  #floodSeenAtMs = -Infinity;
  #floodsUnreported = 0;

  constructor(options: {
    readonly bot: string;
    readonly lanes: LaneClient;
    readonly policy: () => LanePolicy;
    readonly log: (problem: string) => void;
    readonly observe?: Observe;
  }) {
    this.bot = options.bot;
    this.#lanes = options.lanes;
    this.#policy = options.policy;
    this.#log = options.log;
    this.#reports = new ReportQueue(options);
    this.#observe = harmless(options.observe);
    this.#watch = new LaneWatch({ bot: options.bot, log: options.log, observe: this.#observe });
  }

  /**
   * Asks the lane. Resolves with its verdict, or after ten seconds without one, or when `withdrawn` says that nobody
   * waits for it any more; never rejects.
   */
  ask(ask: Ask, withdrawn?: AbortSignal): Promise<AskAnswer> {
    return new Promise((resolve) => {
      const giveUp = (why: string): void => {
        clearTimeout(waiting.timer);
        waiting.givenUp = true;
        waiting.resolve({ kind: 'no_answer', why });
      };
      const withdraw = (): void => giveUp('it was withdrawn');
      const waiting: Waiting = {
        ask,
        resolve: (answer) => {
          // One run may ask often with the same signal.
          withdrawn?.removeEventListener('abort', withdraw);
          resolve(answer);
        },
        timer: setTimeout(
          () => giveUp(`the lane did not answer within ${giveUpAfterMs / 1000} s`),
          giveUpAfterMs,
        ),
        askedAtMs: undefined,
        givenUp: false,
      };
      if (withdrawn?.aborted) return withdraw();
      withdrawn?.addEventListener('abort', withdraw, { once: true });
      this.#queue.push(waiting);
      void this.#flush();
    });
  }

  /**
   * Tells the lane what became of a claim; resolves when the lane has it for sure. `answeredAtMs` is this process's
   * monotonic clock. A flood stops this process's own claims at once (rule 2).
   */
  async report(report: Omit<Report, 'ageMs'>, answeredAtMs: number): Promise<void> {
    const closes =
      report.outcome === 'flood' ||
      report.outcome === 'paused' ||
      (report.outcome === 'held' && report.detail !== 'no_flood');
    if (closes) {
      this.#floodSeenAtMs = performance.now();
      this.#floodsUnreported++;
      const laneNowMs = this.laneNowMs();
      const { retryAfterMs } = report;
      const isKnown = laneNowMs !== undefined && retryAfterMs !== undefined;
      this.#watch.closing(report.outcome, isKnown ? laneNowMs + retryAfterMs : undefined);
    }
    this.#noteKept(1);
    await this.#reports.add(report, answeredAtMs);
    this.#noteKept(-1);
    if (!closes) return;
    this.#floodsUnreported--;
    void this.#flush();
  }

  /** Whether a claim that was asked then has been overtaken by a flood that this process has met since. */
  overtakenByFlood(askedAtMs: number): boolean {
    return askedAtMs <= this.#floodSeenAtMs;
  }

  /** The lane's clock, or a little less; undefined until the lane has been heard. */
  laneNowMs(): number | undefined {
    return this.#clockOffsetMs === undefined
      ? undefined
      : Math.floor(this.#clockOffsetMs + performance.now());
  }

  /** Gathered asks in one Update after the other. */
  async #flush(): Promise<void> {
    if (this.#flushing) return;
    this.#flushing = true;
    try {
      while (this.#queue.length > 0 && this.#floodsUnreported === 0) {
        const restMs = this.#nextFlushMs - performance.now();
        if (restMs > 0) await pause(restMs);
        if (this.#floodsUnreported > 0) break;
        const flushedAtMs = performance.now();
        const batch = this.#queue.filter((waiting) => !waiting.givenUp).slice(0, maxAsksInBatch);
        this.#queue = this.#queue.filter((waiting) => !waiting.givenUp && !batch.includes(waiting));
        if (batch.length > 0) await this.#claim(batch);
        const tookMs = performance.now() - flushedAtMs;
        this.#nextFlushMs = flushedAtMs + Math.min(flushMostMs, Math.max(flushLeastMs, 2 * tookMs));
      }
    } finally {
      this.#flushing = false;
    }
  }

  async #claim(batch: readonly Waiting[]): Promise<void> {
    let overloadedMs = 5000;
    for (let closingTries = 0; ;) {
      const live = batch.filter((waiting) => !waiting.givenUp);
      if (live.length === 0) return;
      const sentAtMs = performance.now();
      for (const waiting of live) waiting.askedAtMs ??= sentAtMs;
      const laneNowMs = this.laneNowMs();
      try {
        const verdicts = await orLate(
          this.#lanes.claim(this.bot, {
            policy: this.#policy(),
            asks: live.map((waiting) => waiting.ask),
            ...(laneNowMs === undefined ? {} : { sentAtMs: laneNowMs }),
          }),
          longestCallMs,
        );
        // A call that was lost on the way must not silence the bot in this process for ever.
        if (verdicts === 'late') continue;
        this.#hand(live, verdicts);
        return;
      } catch (error) {
        switch (laneTrouble(error)) {
          case 'closing':
            // Between two runs of the lane this passes in milliseconds; otherwise there is no lane.
            await pause(50);
            if (++closingTries > 2) await this.#ensureLane();
            break;
          case 'task_failed':
            await pause(200);
            break;
          case 'overloaded':
            this.#log(`lane of ${this.bot}: too many Updates in flight; waiting ${overloadedMs} ms`);
            await pause(overloadedMs * (1 + Math.random()));
            overloadedMs = Math.min(30_000, overloadedMs * 2);
            break;
          case 'other':
            this.#log(`lane of ${this.bot}: ${errorName(error)}`);
            await pause(1000);
            break;
        }
      }
    }
  }

  #hand(asked: readonly Waiting[], verdicts: readonly Verdict[]): void {
    const heardAtMs = performance.now();
    asked.forEach((waiting, index) => {
      const verdict = verdicts[index];
      if (!verdict) return;
      const offsetMs = verdict.nowMs - heardAtMs;
      if (this.#clockOffsetMs === undefined || offsetMs > this.#clockOffsetMs) this.#clockOffsetMs = offsetMs;
      const askedAtMs = waiting.askedAtMs ?? heardAtMs;
      if (waiting.givenUp) {
        if (verdict.kind === 'go') this.giveBack(waiting.ask);
        return;
      }
      clearTimeout(waiting.timer);
      this.#watch.verdict(verdict, this.overtakenByFlood(askedAtMs));
      waiting.resolve({ kind: 'verdict', verdict, askedAtMs, heardAtMs });
    });
  }

  /** A claim that is not used: nothing was sent with it, and its slot is free. */
  giveBack(ask: Ask): void {
    const { reply, attempt, nonce, chat } = ask;
    void this.report({ reply, attempt, nonce, chat, outcome: 'unreached' }, performance.now());
  }

  #noteKept(change: 1 | -1): void {
    this.#reportsKept += change;
    this.#observe({ event: 'reports_kept', bot: this.bot, count: this.#reportsKept });
  }

  async #ensureLane(): Promise<void> {
    try {
      await this.#lanes.ensure(this.bot);
    } catch (error) {
      this.#log(`lane of ${this.bot} cannot be started: ${errorName(error)}`);
      await pause(1000);
    }
  }
}
