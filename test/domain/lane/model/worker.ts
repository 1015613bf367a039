import type { Ask, Report, Verdict } from '../../../../domain/lane/messages.ts';
import type { Chance, Range } from './chance.ts';
import type { LaneHost } from './lane-host.ts';
import type { Timeline } from './timeline.ts';

const flushEveryMs = 150;
const giveUpAfterMs = 10_000;

export interface WorkerWays {
  /** One way between worker and lane. */
  readonly linkMs: Range;
  /** An Update's answer is lost, and the same Update is sent again. */
  readonly answerLostChance: number;
  readonly reportMs: Range;
}

interface Waiting {
  readonly ask: Ask;
  readonly resolve: (verdict: Verdict | undefined, askedAtMs: number) => void;
  askedAtMs: number | undefined;
  over: boolean;
}

/** One worker process's talk with the lane, as the real one does it: one Update in flight, asks gathered, reports by Signal. */
export class ModelWorker {
  private queue: Waiting[] = [];
  private flushing = false;
  private flushedAtMs = -Infinity;
  private floodSeenAtMs = -Infinity;
  private floodsUnreported = 0;
  private readonly timeline: Timeline;
  private readonly chance: Chance;
  private readonly host: LaneHost;
  private readonly ways: WorkerWays;

  constructor(timeline: Timeline, chance: Chance, host: LaneHost, ways: WorkerWays) {
    this.timeline = timeline;
    this.chance = chance;
    this.host = host;
    this.ways = ways;
  }

  /** `resolve` gets nothing after ten seconds without an answer. */
  ask(ask: Ask, resolve: Waiting['resolve']): void {
    const waiting: Waiting = { ask, resolve, askedAtMs: undefined, over: false };
    this.queue.push(waiting);
    this.timeline.after(giveUpAfterMs, () => this.settle(waiting, undefined));
    this.flush();
  }

  report(report: Omit<Report, 'ageMs'>, done: () => void): void {
    const answeredAtMs = this.timeline.nowMs;
    const closes = report.outcome === 'flood' || report.outcome === 'held';
    if (closes) {
      this.floodSeenAtMs = answeredAtMs;
      this.floodsUnreported++;
    }
    // It leaves after a while (its age says so), and reaches the lane after another.
    this.timeline.after(this.chance.latency(this.ways.reportMs), () => {
      const ageMs = this.timeline.nowMs - answeredAtMs;
      this.timeline.after(this.chance.latency(this.ways.linkMs) + this.host.downMs, () => {
        this.host.report([{ ...report, ageMs }]);
        if (closes) this.floodsUnreported--;
        done();
        this.flush();
      });
    });
  }

  overtakenByFlood(askedAtMs: number): boolean {
    return askedAtMs <= this.floodSeenAtMs;
  }

  private flush(): void {
    if (this.flushing || this.queue.length === 0 || this.floodsUnreported > 0) return;
    this.flushing = true;
    this.timeline.after(this.flushedAtMs + flushEveryMs - this.timeline.nowMs, () => {
      this.flushedAtMs = this.timeline.nowMs;
      const batch = this.queue.filter((waiting) => !waiting.over).slice(0, 100);
      this.queue = this.queue.filter((waiting) => !waiting.over && !batch.includes(waiting));
      this.claim(batch);
    });
  }

  private claim(batch: readonly Waiting[]): void {
    const { timeline, chance, ways } = this;
    for (const waiting of batch) waiting.askedAtMs ??= timeline.nowMs;
    const sentAtMs = timeline.nowMs - Math.round(chance.latency([0, 100]));
    const asks = batch.map((waiting) => waiting.ask);
    timeline.after(chance.latency(ways.linkMs) + this.host.downMs, () => {
      const verdicts = this.host.claim(asks, sentAtMs);
      if (chance.happens(ways.answerLostChance)) {
        timeline.after(chance.between([50, 3000]), () => this.claim(batch));
        return;
      }
      timeline.after(chance.latency(ways.linkMs), () => {
        this.flushing = false;
        batch.forEach((waiting, index) => this.settle(waiting, verdicts[index]));
        this.flush();
      });
    });
  }

  private settle(waiting: Waiting, verdict: Verdict | undefined): void {
    if (waiting.over) {
      if (verdict?.kind === 'go') this.giveBack(waiting.ask);
      return;
    }
    waiting.over = true;
    waiting.resolve(verdict, waiting.askedAtMs ?? this.timeline.nowMs);
  }

  /** A claim that nobody waits for any more. */
  private giveBack({ reply, attempt, nonce, chat }: Ask): void {
    this.report({ reply, attempt, nonce, chat, outcome: 'unreached' }, () => {});
  }
}
