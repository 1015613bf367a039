import { claimBatch, noteReports } from '../../../../domain/lane/batch.ts';
import { batchOrder } from '../../../../domain/lane/claim.ts';
import { controlLane } from '../../../../domain/lane/control.ts';
import type { Ask, ControlAction, Report, RevokeAnswer, Verdict } from '../../../../domain/lane/messages.ts';
import type { LanePolicy } from '../../../../domain/lane/policy.ts';
import { extendCooldown } from '../../../../domain/lane/report.ts';
import { revokeAttempt } from '../../../../domain/lane/revoke.ts';
import { freezeLane, thawLane } from '../../../../domain/lane/snapshot.ts';
import { type Lane, newLane } from '../../../../domain/lane/state.ts';
import type { Chance } from './chance.ts';
import type { Judge } from './judge.ts';
import type { Timeline } from './timeline.ts';

/** Runs the lane as the cooldown workflow does, cutting it into runs by chance; the judge sees every message. */
export class LaneHost {
  lane: Lane;
  asks = 0;
  batches = 0;
  largestBytes = 0;
  private upAtMs = 0;
  readonly asksBySecond = new Map<number, number>();
  private readonly timeline: Timeline;
  private readonly chance: Chance;
  private readonly judge: Judge;
  private readonly policy: LanePolicy;
  private readonly cutChance: number;

  constructor(timeline: Timeline, chance: Chance, judge: Judge, policy: LanePolicy, cutChance: number) {
    this.timeline = timeline;
    this.chance = chance;
    this.judge = judge;
    this.policy = policy;
    this.cutChance = cutChance;
    this.lane = newLane('support', 'epoch-1', timeline.nowMs - 10_000);
  }

  claim(asks: readonly Ask[], sentAtMs: number): readonly Verdict[] {
    this.maybeCut();
    const { nowMs } = this.timeline;
    this.batches++;
    this.asks += asks.length;
    const second = Math.floor(nowMs / 1000);
    this.asksBySecond.set(second, (this.asksBySecond.get(second) ?? 0) + asks.length);
    const verdicts = claimBatch(this.lane, { policy: this.policy, asks, sentAtMs }, nowMs);
    for (const index of batchOrder(asks, nowMs)) this.judge.sees(asks[index]!, verdicts[index]!, nowMs);
    return verdicts;
  }

  report(reports: readonly Report[]): void {
    this.maybeCut();
    const { nowMs } = this.timeline;
    noteReports(this.lane, reports, nowMs);
    for (const report of reports) this.judge.hears(report, nowMs);
    if (this.lane.stopped) this.judge.standsStill = true;
  }

  revoke(reply: string, attempt: number, scheduledAtMs: number): RevokeAnswer {
    this.maybeCut();
    const answer = revokeAttempt(this.lane, { reply, attempt, scheduledAtMs }, this.timeline.nowMs);
    this.judge.hearsRevoke(reply, attempt, answer);
    return answer;
  }

  control(action: ControlAction): void {
    this.maybeCut();
    controlLane(this.lane, { action, by: 'an operator', reason: 'a test' }, this.timeline.nowMs);
    if (action === 'pause') this.judge.standsStill = true;
    if (action === 'resume') this.judge.standsStill = false;
    if (action === 'override') this.judge.overridden();
  }

  extend(seconds: number): void {
    this.maybeCut();
    const { nowMs } = this.timeline;
    extendCooldown(this.lane, { seconds, by: 'an operator', reason: 'a test' }, nowMs);
    this.judge.closes(nowMs + seconds * 1000);
  }

  /** The lane is terminated: its successor remembers nothing. */
  loseMemory(): void {
    this.lane = newLane('support', `epoch-${this.timeline.nowMs}`, this.timeline.nowMs);
  }

  /** Workers of the lane are down until then: what is sent to it waits. */
  downUntil(untilMs: number): void {
    this.upAtMs = untilMs;
  }

  /** How long a message must wait until the lane takes it. */
  get downMs(): number {
    return Math.max(0, this.upAtMs - this.timeline.nowMs);
  }

  /** Bytes that the next run would be handed now. */
  measure(): number {
    const bytes = Buffer.byteLength(JSON.stringify(freezeLane(this.lane, this.timeline.nowMs)));
    this.largestBytes = Math.max(this.largestBytes, bytes);
    return bytes;
  }

  private maybeCut(): void {
    if (!this.chance.happens(this.cutChance)) return;
    const json = JSON.stringify(freezeLane(this.lane, this.timeline.nowMs));
    this.largestBytes = Math.max(this.largestBytes, Buffer.byteLength(json));
    this.lane = thawLane(JSON.parse(json));
  }
}
