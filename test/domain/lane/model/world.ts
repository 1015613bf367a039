import type { LanePolicy } from '../../../../domain/lane/policy.ts';
import { defaultLanePolicy } from '../../../../domain/lane/policy.ts';
import { Chance, type Range } from './chance.ts';
import { Judge } from './judge.ts';
import { LaneHost } from './lane-host.ts';
import { type Mishap, ModelReply, type ReplyPlan } from './reply.ts';
import { type Arrival, ModelService, type ServiceWays, brokenWindows, kindService } from './service.ts';
import { Timeline } from './timeline.ts';
import { ModelWorker, type WorkerWays } from './worker.ts';

/** How workers and workflows behave, by chance. */
export interface WorldWays extends WorkerWays {
  readonly workers: number;
  readonly cutChance: number;
  /** From an activity's schedule to its start. */
  readonly queueMs: Range;
  readonly timerLateMs: Range;
  /** From `go` to the request's leaving, and from there to the service. */
  readonly leaveMs: Range;
  readonly arriveMs: Range;
  readonly unreachedChance: number;
  readonly mishapChance: number;
  readonly mishaps: readonly Mishap[];
}

export const calmWays: WorldWays = {
  workers: 1,
  cutChance: 0.001,
  linkMs: [1, 10],
  answerLostChance: 0,
  reportMs: [1, 10],
  queueMs: [1, 20],
  timerLateMs: [1, 60],
  leaveMs: [0, 3],
  arriveMs: [1, 5],
  unreachedChance: 0,
  mishapChance: 0,
  mishaps: ['dies_after_request'],
};

export const worldStartMs = 1_800_000_000_000;

/** A lane with everything around it, in virtual time. The same seed gives the same world. */
export class World {
  readonly timeline = new Timeline(worldStartMs);
  readonly chance: Chance;
  readonly judge: Judge;
  readonly policy: LanePolicy;
  readonly ways: WorldWays;
  readonly host: LaneHost;
  readonly service: ModelService;
  readonly workers: readonly ModelWorker[];
  readonly replies: ModelReply[] = [];
  private workersDownMs: Range = [0, 0];

  constructor(
    seed: number,
    options: {
      readonly policy?: Partial<LanePolicy>;
      readonly ways?: Partial<WorldWays>;
      readonly service?: Partial<ServiceWays>;
    } = {},
  ) {
    this.chance = new Chance(seed);
    this.policy = { ...defaultLanePolicy, ...options.policy };
    this.ways = { ...calmWays, ...options.ways };
    this.judge = new Judge(this.policy.maxOutstanding);
    const { timeline, chance, judge, policy, ways } = this;
    this.host = new LaneHost(timeline, chance, judge, policy, ways.cutChance);
    this.service = new ModelService(timeline, chance, { ...kindService, ...options.service });
    this.workers = Array.from(
      { length: ways.workers },
      () => new ModelWorker(timeline, chance, this.host, ways),
    );
  }

  /** When a request arrived, in milliseconds since the world began. */
  elapsedOf({ atMs }: Arrival): number {
    return atMs - worldStartMs;
  }

  /** Starts a reply after so long. */
  add(delayMs: number, plan: Pick<ReplyPlan, 'key' | 'chat'> & Partial<ReplyPlan>): ModelReply {
    const reply = new ModelReply(this, { isGroup: false, weight: 1, isBulk: false, ...plan });
    this.replies.push(reply);
    this.timeline.after(delayMs, () => reply.start());
    return reply;
  }

  /** An operator's act, with the wake of waiting replies that follows it. */
  operate(delayMs: number, action: 'pause' | 'resume' | 'override'): void {
    this.timeline.after(delayMs, () => {
      this.host.control(action);
      if (action === 'pause') return;
      // In no particular order: whoever lists the replies may list the youngest first. At one and a half times the bot's rate.
      const order = this.replies
        .filter((reply) => reply.end === undefined)
        .map((reply) => ({ reply, at: this.chance.next() }));
      order.sort((a, b) => a.at - b.at);
      order.forEach(({ reply }, index) => this.timeline.after(50 + index * 22, () => reply.wakeIfShut()));
    });
  }

  /** All workers are down for a while: nothing that is scheduled starts. */
  workersDown(fromMs: number, untilMs: number): void {
    this.workersDownMs = [worldStartMs + fromMs, worldStartMs + untilMs];
  }

  /** How long an activity that is scheduled now waits for a worker that is up. */
  queueMs(): number {
    const { nowMs } = this.timeline;
    const [fromMs, untilMs] = this.workersDownMs;
    return (
      (nowMs >= fromMs && nowMs < untilMs ? untilMs - nowMs : 0) + this.chance.latency(this.ways.queueMs)
    );
  }

  /** Lets time pass, from the world's beginning. */
  runFor(ms: number): this {
    this.timeline.runUntil(worldStartMs + ms);
    this.host.measure();
    return this;
  }

  /** Every promise that was broken: to the service, and those that the judge has seen. */
  violations(): string[] {
    const { policy, judge, host } = this;
    const arrivals = [...this.service.arrivals];
    const found = [...judge.violations, ...brokenWindows(arrivals, policy.bot, 'bot')];
    const groups = new Set(this.replies.filter(({ plan }) => plan.isGroup).map(({ plan }) => plan.key));
    const byChat = new Map<string, Arrival[]>();
    for (const arrival of arrivals) {
      byChat.set(arrival.chat, [...(byChat.get(arrival.chat) ?? []), arrival]);
    }
    for (const [id, own] of byChat) {
      // A chat that became a group in between was paced by other limits before: nothing to judge by.
      const isGroup = own.some(({ reply }) => groups.has(reply));
      if (isGroup && !own.every(({ reply }) => groups.has(reply))) continue;
      found.push(...brokenWindows(own, isGroup ? policy.group : policy.chat, `chat ${id}`));
    }
    if (host.largestBytes > 256 * 1024) found.push(`the state took ${host.largestBytes} bytes`);
    return found;
  }

  /** Replies that have not come to an end. */
  stuck(): string[] {
    return this.replies.filter((reply) => reply.end === undefined).map((reply) => reply.plan.key);
  }
}
