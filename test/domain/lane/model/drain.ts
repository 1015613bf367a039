import { claimBatch, noteReports } from '../../../../domain/lane/batch.ts';
import { controlLane } from '../../../../domain/lane/control.ts';
import type { Ask, Verdict } from '../../../../domain/lane/messages.ts';
import { defaultLanePolicy } from '../../../../domain/lane/policy.ts';
import { newLane } from '../../../../domain/lane/state.ts';
import { endsByOpening } from '../../../../domain/reply/state.ts';
import { Chance } from './chance.ts';
import { Timeline } from './timeline.ts';

export interface Backlog {
  readonly replies: number;
  readonly ratePerSecond: number;
  readonly chats: number;
  /** What the server carries, of all replies: each look of a workflow at its lane, with its timer and activity, is a round. */
  readonly roundsPerSecond: number;
  /** A minute after the first reply, an operator pauses the lane for so long. */
  readonly pausedMs: number;
  readonly hasCrowdRules: boolean;
}

const startMs = 1_800_000_000_000;
const limits = [{ limit: 1, perMs: 1000 }];
const policy = {
  ...defaultLanePolicy,
  bot: [{ limit: 20, perMs: 1000 }],
  chat: limits,
  group: limits,
  maxOutstanding: 50,
};
const longestHoldMs = 5000;
const heldAtOnce = 20;
const who = { by: 'an operator', reason: 'a test' };

/** One lane and a server that is busy: how long a backlog takes, and how often replies ask. */
class Drain {
  readonly timeline = new Timeline(startMs);
  asks = 0;
  done = 0;
  doneAtMs = 0;
  private readonly chance = new Chance(42);
  private readonly lane = newLane('b', 'e', startMs - 3_600_000);
  private readonly last = new Map<number, string>();
  private readonly shut = new Map<string, () => void>();
  private readonly backlog: Backlog;
  private freeAtMs = startMs;
  private held = 0;

  constructor(backlog: Backlog) {
    this.backlog = backlog;
    this.lane.probe = { kind: 'open' };
    this.lane.hasCrowdRules = backlog.hasCrowdRules;
    for (let i = 0; i < backlog.replies; i++) {
      this.timeline.after((i * 1000) / backlog.ratePerSecond, () => this.start(`r${i}`));
    }
    const openAtMs = 60_000 + backlog.pausedMs;
    this.timeline.after(60_000, () => this.control('pause'));
    this.timeline.after(openAtMs, () => {
      this.control('resume');
      let woken = 0;
      for (const wake of this.shut.values()) this.timeline.after(50 * woken++, wake);
    });
  }

  private control(action: 'pause' | 'resume'): void {
    controlLane(this.lane, { action, ...who }, this.timeline.nowMs);
  }

  private start(reply: string): void {
    const chat = Math.floor(this.chance.next() * this.backlog.chats);
    const after = this.chance.happens(0.6) ? this.last.get(chat) : undefined;
    this.last.set(chat, reply);
    const ask: Ask = {
      reply,
      run: 'run',
      attempt: 0,
      nonce: reply,
      chat: `${chat + 1}`,
      chatKind: 'chat',
      weight: 1,
      class: 'reply',
      scheduledAtMs: startMs,
      ...(after === undefined ? {} : { after }),
    };
    this.round(ask, 1.2);
  }

  /** The server carries one round after the other. */
  private round(ask: Ask, rounds: number): void {
    const { nowMs } = this.timeline;
    this.freeAtMs = Math.max(nowMs, this.freeAtMs) + (rounds * 1000) / this.backlog.roundsPerSecond;
    this.timeline.after(this.freeAtMs - nowMs, () => {
      this.ask({ ...ask, attempt: ask.attempt + 1, scheduledAtMs: this.timeline.nowMs });
    });
  }

  private ask(ask: Ask): void {
    this.asks++;
    const [verdict] = claimBatch(this.lane, { policy, asks: [ask] }, this.timeline.nowMs) as [Verdict];
    switch (verdict.kind) {
      case 'go':
        return this.timeline.after(30, () => this.sent(ask));
      case 'refused':
        return this.timeline.after(2000, () => this.round(ask, 1));
      case 'wait':
        return this.wait(ask, verdict);
    }
  }

  private sent({ reply, attempt, nonce, chat }: Ask): void {
    const report = { reply, attempt, nonce, chat, outcome: 'sent', ageMs: 0 } as const;
    noteReports(this.lane, [report], this.timeline.nowMs);
    this.done++;
    this.doneAtMs = this.timeline.nowMs - startMs;
  }

  private wait(ask: Ask, verdict: Extract<Verdict, { kind: 'wait' }>): void {
    const { untilMs: ticketMs, heldSinceMs, nowMs, why } = verdict;
    const next = { ...ask, ticketMs, ...(heldSinceMs === undefined ? {} : { heldSinceMs }) };
    const waitMs = ticketMs - nowMs;
    if (waitMs < longestHoldMs && this.held < heldAtOnce) {
      this.held++;
      return this.timeline.after(waitMs, () => {
        this.held--;
        this.ask(next);
      });
    }
    let isOver = false;
    const wake = (): void => {
      if (isOver) return;
      isOver = true;
      this.shut.delete(ask.reply);
      this.round(next, 1);
    };
    if (endsByOpening(why)) this.shut.set(ask.reply, wake);
    this.timeline.after(waitMs, wake);
  }
}

/**
 * When the last reply had been sent, counted from the first one's start, and how often all of them asked. Infinite where
 * that has not come to an end after `withinMs`.
 */
export function drain(
  backlog: Backlog,
  withinMs: number,
): { readonly doneAtMs: number; readonly asks: number } {
  const world = new Drain(backlog);
  world.timeline.runUntil(startMs + withinMs);
  return { doneAtMs: world.done < backlog.replies ? Infinity : world.doneAtMs, asks: world.asks };
}
