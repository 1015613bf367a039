import type { Ask, Report, Verdict } from '../../../../domain/lane/messages.ts';
import { endsByOpening } from '../../../../domain/reply/state.ts';
import type { Book } from './judge.ts';
import type { Answer } from './service.ts';
import type { ModelWorker } from './worker.ts';
import type { World } from './world.ts';

/** What goes wrong with one run of the activity. */
export type Mishap =
  | 'none'
  /** The worker dies before it asks, with the ask on its way, or after the request has left. */
  | 'dies_before_ask'
  | 'dies_after_ask'
  | 'dies_after_request'
  /** The worker freezes, is given up, and wakes later. */
  | 'freezes_before_ask'
  | 'freezes_after_go';

export interface ReplyPlan {
  readonly key: string;
  readonly chat: string;
  readonly isGroup: boolean;
  readonly weight: number;
  readonly isBulk: boolean;
  readonly after?: string;
  readonly cancelAtMs?: number;
  readonly expiresAtMs?: number;
  /** Its workflow is terminated then: nobody is told. */
  readonly vanishesAtMs?: number;
}

const claimLifeMs = 5000;
const httpTimeoutMs = 20_000;
const longestHoldMs = 5000;
/** ScheduleToStart: with no worker up, the workflow looks at its gate again. */
const longestQueueMs = 600_000;

/** One reply workflow and its activities, as the real ones behave. */
export class ModelReply {
  readonly plan: ReplyPlan;
  readonly book: Book;
  end: string | undefined;
  endAtMs = 0;
  firstGrantMs: number | undefined;
  requests = 0;
  private readonly world: World;
  private chat: string;
  private run = 0;
  private ticketMs: number | undefined;
  private heldSinceMs: number | undefined;
  private known: Ask['known'];
  /** Where the lane holds a place for it; empty where it may, but the reply was not told. */
  private placeIn: string | undefined;
  private unreached = 0;
  private isBusy = true;
  private isShut = false;
  /** Counts waits, so that one which was ended early does not end a second time. */
  private waits = 0;

  constructor(world: World, plan: ReplyPlan) {
    this.world = world;
    this.plan = plan;
    this.chat = plan.chat;
    const { key: reply, chat, after, isBulk } = plan;
    this.book = world.judge.openBook({ reply, chat, after, isBulk });
  }

  start(): void {
    const { timeline } = this.world;
    const { cancelAtMs, expiresAtMs, vanishesAtMs } = this.plan;
    for (const atMs of [cancelAtMs, expiresAtMs, vanishesAtMs]) {
      if (atMs !== undefined) timeline.after(atMs - timeline.nowMs, () => this.wake());
    }
    this.next();
  }

  /** An operator has opened the lane: only who waits for that comes at once (decision 014). */
  wakeIfShut(): void {
    if (this.isShut) this.wake();
  }

  /** Ends a wait early: a cancellation or an expiry. */
  wake(): void {
    if (!this.isBusy && this.end === undefined) this.next();
  }

  /** The job gate, then one run of the activity. */
  private next(): void {
    this.waits++;
    const { timeline, chance, ways } = this.world;
    const { cancelAtMs = Infinity, expiresAtMs = Infinity, vanishesAtMs = Infinity } = this.plan;
    if (timeline.nowMs >= vanishesAtMs) return this.finish('vanished');
    if (timeline.nowMs >= cancelAtMs) return this.finish('cancelled');
    if (timeline.nowMs >= expiresAtMs) return this.finish('expired');
    this.isBusy = true;
    const run = ++this.run;
    const scheduledAtMs = timeline.nowMs;
    const worker = chance.pick(this.world.workers);
    const mishap = chance.happens(ways.mishapChance) ? chance.pick(ways.mishaps) : 'none';
    const queueMs = this.world.queueMs();
    if (queueMs > longestQueueMs) return this.wait(longestQueueMs + 1000);
    timeline.after(queueMs, () => {
      if (mishap === 'dies_before_ask') return this.loseRun(scheduledAtMs);
      if (mishap === 'freezes_before_ask') {
        this.loseRun(scheduledAtMs);
        timeline.after(chance.between([1000, 100_000]), () => this.ask(worker, scheduledAtMs, mishap, run));
        return;
      }
      this.ask(worker, scheduledAtMs, mishap, run);
    });
  }

  private ask(worker: ModelWorker, scheduledAtMs: number, mishap: Mishap, run: number): void {
    const { plan, world } = this;
    const startedAtMs = world.timeline.nowMs;
    const isZombie = (): boolean => mishap !== 'none' && mishap !== 'dies_after_request';
    const ask: Ask = {
      reply: plan.key,
      run: `run-of-${plan.key}`,
      attempt: run,
      nonce: `${plan.key}-${run}`,
      chat: this.chat,
      chatKind: plan.isGroup ? 'group' : 'chat',
      weight: plan.weight,
      class: plan.isBulk ? 'bulk' : 'reply',
      scheduledAtMs,
      ...(plan.after === undefined ? {} : { after: plan.after }),
      ...(this.ticketMs === undefined ? {} : { ticketMs: this.ticketMs }),
      ...(this.heldSinceMs === undefined ? {} : { heldSinceMs: this.heldSinceMs }),
      ...(plan.expiresAtMs === undefined ? {} : { expiresAtMs: plan.expiresAtMs }),
      ...(this.known ? { known: this.known } : {}),
    };
    if (mishap === 'dies_after_ask') this.loseRun(scheduledAtMs);
    worker.ask(ask, (verdict, askedAtMs) => {
      if (mishap === 'freezes_after_go' && verdict?.kind === 'go') return this.loseRun(scheduledAtMs);
      if (isZombie() && mishap !== 'freezes_after_go') return;
      if (!verdict) this.placeIn ??= '';
      if (!verdict) return this.wait(5000 + world.chance.between([0, 5000]));
      if (verdict.kind === 'go') return this.attempt(worker, ask, verdict, askedAtMs, mishap);
      if (verdict.kind === 'refused') return this.refused(verdict);
      this.placeIn = ask.chat;
      this.ticketMs = verdict.untilMs;
      this.heldSinceMs = verdict.heldSinceMs;
      this.isShut = endsByOpening(verdict.why);
      const { epoch, cooldownMs } = verdict;
      if (cooldownMs !== undefined) this.known = { epoch, notBeforeMs: cooldownMs };
      const waitMs = verdict.untilMs - verdict.nowMs;
      // A short wait is held in the activity: the same run, the same nonce.
      if (world.timeline.nowMs + waitMs - startedAtMs <= longestHoldMs && mishap === 'none') {
        const lateMs = world.chance.latency([0, 20]);
        world.timeline.after(waitMs + lateMs, () => this.ask(worker, scheduledAtMs, mishap, run));
      } else {
        this.wait(waitMs);
      }
    });
  }

  private attempt(
    worker: ModelWorker,
    ask: Ask,
    verdict: Extract<Verdict, { kind: 'go' }>,
    askedAtMs: number,
    mishap: Mishap,
  ): void {
    const { timeline, chance, ways, service } = this.world;
    const chat = verdict.chat ?? ask.chat;
    this.firstGrantMs ??= verdict.nowMs;
    this.placeIn = chat;
    const report = (outcome: Report['outcome'], more: Partial<Report>, then: () => void): void => {
      const { reply, attempt, nonce } = ask;
      worker.report({ reply, attempt, nonce, chat, outcome, ...more }, then);
    };
    timeline.after(chance.latency(ways.leaveMs), () => {
      const isStale =
        timeline.nowMs - askedAtMs > claimLifeMs ||
        verdict.nowMs + timeline.nowMs - askedAtMs >= (ask.expiresAtMs ?? Infinity) ||
        worker.overtakenByFlood(askedAtMs);
      if (isStale || chance.happens(ways.unreachedChance)) {
        return report('unreached', {}, () => this.backOff());
      }
      this.requests++;
      if (mishap === 'dies_after_request') this.loseRun(ask.scheduledAtMs);
      let isAnswered = false;
      const answered = (answer: Answer): void => {
        if (isAnswered || mishap === 'dies_after_request') return;
        isAnswered = true;
        this.answered(answer, report);
      };
      timeline.after(httpTimeoutMs, () => answered({ kind: 'none' }));
      timeline.after(chance.latency(ways.arriveMs), () => {
        const { key, weight, isBulk } = this.plan;
        const request = {
          reply: key,
          attempt: ask.attempt,
          chat,
          weight,
          bulk: isBulk,
          grantedAtMs: verdict.nowMs,
        };
        const answer = service.receive(request);
        if (answer.kind === 'none') return;
        timeline.after(chance.latency(service.ways.answerMs), () => answered(answer));
      });
    });
  }

  private answered(
    answer: Answer,
    report: (outcome: Report['outcome'], more: Partial<Report>, then: () => void) => void,
  ): void {
    this.placeIn = this.chat;
    const through = (): void => {
      this.placeIn = undefined;
      this.finish(answer.kind);
    };
    switch (answer.kind) {
      case 'sent':
      case 'held':
      case 'rejected':
        return report(answer.kind, {}, through);
      case 'none':
        return report('unknown', {}, through);
      case 'unreadable':
        return report('unknown', { detail: 'unreadable' }, through);
      case 'auth':
        this.isShut = true;
        return report('rejected', { detail: 'auth' }, () => this.wait(5000));
      case 'migrated':
        return report('migrated', { movedTo: answer.to }, () => {
          this.chat = answer.to;
          this.wait(1000);
        });
      case 'flood': {
        const { retryAfterMs } = answer;
        return report('flood', { retryAfterMs }, () => {
          this.ticketMs = this.world.timeline.nowMs + retryAfterMs;
          this.isShut = true;
          this.wait(Math.max(1000, retryAfterMs));
        });
      }
    }
  }

  private refused(verdict: Extract<Verdict, { kind: 'refused' }>): void {
    if (verdict.why === 'expired') return this.finish('expired');
    if (verdict.why === 'stale_ask') return this.backOff();
    this.world.judge.object(`${this.plan.key}: refused as ${verdict.why}`);
    this.finish('review');
  }

  private backOff(): void {
    this.unreached = Math.min(6, this.unreached + 1);
    const baseMs = Math.min(60_000, 1000 * 2 ** (this.unreached - 1));
    this.wait(baseMs * this.world.chance.between([1, 1.2]));
  }

  /** The activity is lost: after a while the workflow hears of it, and takes the attempt back. */
  private loseRun(scheduledAtMs: number): void {
    const { timeline, chance, host } = this.world;
    const { run } = this;
    this.placeIn ??= '';
    timeline.after(chance.between([2000, 15_000]), () => {
      const answer = host.revoke(this.plan.key, run, scheduledAtMs);
      if (answer.kind === 'never') return this.backOff();
      if (answer.kind === 'yes' && (answer.reported === 'unreached' || answer.reported === 'flood')) {
        return this.backOff();
      }
      this.finish('review');
    });
  }

  private wait(ms: number): void {
    const { timeline, chance, ways } = this.world;
    this.isBusy = false;
    const { cancelAtMs = Infinity, expiresAtMs = Infinity, vanishesAtMs = Infinity } = this.plan;
    const gateMs = Math.min(cancelAtMs, expiresAtMs, vanishesAtMs) - timeline.nowMs;
    const wait = ++this.waits;
    timeline.after(Math.min(ms, Math.max(0, gateMs)) + chance.latency(ways.timerLateMs), () => {
      if (wait === this.waits) this.next();
    });
  }

  private finish(end: string): void {
    const { timeline, chance, host, ways } = this.world;
    this.end = end;
    this.endAtMs = timeline.nowMs;
    if (end === 'vanished') {
      this.book.hasVanished = true;
      return;
    }
    if (this.placeIn === undefined) return;
    const { key: reply } = this.plan;
    const gone: Report = {
      reply,
      attempt: this.run,
      nonce: '',
      chat: this.placeIn,
      outcome: 'gone',
      ageMs: 0,
    };
    timeline.after(chance.latency(ways.timerLateMs), () => host.report([gone]));
  }
}
