import { claimBatch, noteReports } from '../../../domain/lane/batch.ts';
import { controlLane } from '../../../domain/lane/control.ts';
import type {
  Ask,
  ControlAction,
  Report,
  RevokeAnswer,
  RevokeRequest,
  Verdict,
} from '../../../domain/lane/messages.ts';
import { type LanePolicy, defaultLanePolicy } from '../../../domain/lane/policy.ts';
import { extendCooldown } from '../../../domain/lane/report.ts';
import { revokeAttempt } from '../../../domain/lane/revoke.ts';
import { freezeLane, thawLane } from '../../../domain/lane/snapshot.ts';
import { type Lane, newLane } from '../../../domain/lane/state.ts';

export const startMs = 1_800_000_000_000;

type AskPart = Partial<Ask> & Pick<Ask, 'reply'>;

/** One lane and its clock, with the words that tables of its rules are written in. Starts open: the probe has passed. */
export class LaneUnderTest {
  lane: Lane;
  nowMs = startMs;
  readonly policy: LanePolicy;

  constructor(policy: Partial<LanePolicy> = {}) {
    this.policy = { ...defaultLanePolicy, ...policy };
    this.lane = newLane('support', 'epoch-1', startMs - 3_600_000);
    this.lane.probe = { kind: 'open' };
  }

  /** Lets time pass. */
  after(ms: number): this {
    this.nowMs += ms;
    return this;
  }

  asks(...parts: readonly AskPart[]): Verdict[] {
    const asks = parts.map((part) => this.ask(part));
    return claimBatch(this.lane, { policy: this.policy, asks }, this.nowMs);
  }

  asksOne(reply: string, part: Partial<Ask> = {}): Verdict {
    const [verdict] = this.asks({ ...part, reply });
    if (!verdict) throw new Error('no verdict');
    return verdict;
  }

  reports(reply: string, part: Partial<Report> & Pick<Report, 'outcome'>): this {
    const { attempt = 1, nonce = `${reply}-${attempt}`, chat = '77', ageMs = 0 } = part;
    noteReports(this.lane, [{ reply, attempt, nonce, chat, ageMs, ...part }], this.nowMs);
    return this;
  }

  revokes(
    reply: string,
    attempt = 1,
    scheduledAtMs = this.nowMs,
    part: Pick<RevokeRequest, 'hasKeys'> = {},
  ): RevokeAnswer {
    return revokeAttempt(this.lane, { reply, attempt, scheduledAtMs, ...part }, this.nowMs);
  }

  extends(seconds: number): this {
    extendCooldown(this.lane, { seconds, by: 'an operator', reason: 'a test' }, this.nowMs);
    return this;
  }

  controls(action: ControlAction): this {
    controlLane(this.lane, { action, by: 'an operator', reason: 'a test' }, this.nowMs);
    return this;
  }

  /** The lane goes on in its next run. */
  cut(): this {
    this.lane = thawLane(JSON.parse(JSON.stringify(freezeLane(this.lane, this.nowMs))));
    return this;
  }

  /** Bytes that the next run is handed. */
  get bytes(): number {
    return Buffer.byteLength(JSON.stringify(freezeLane(this.lane, this.nowMs)));
  }

  private ask({ reply, attempt = 1, ...part }: AskPart): Ask {
    return {
      reply,
      run: `run-of-${reply}`,
      attempt,
      nonce: `${reply}-${attempt}`,
      chat: '77',
      chatKind: 'chat',
      weight: 1,
      class: 'reply',
      scheduledAtMs: this.nowMs,
      ...part,
    };
  }
}

/** The instant of a `wait`; fails on any other verdict. */
export function untilOf(verdict: Verdict): number {
  if (verdict.kind !== 'wait') throw new Error(`not a wait: ${JSON.stringify(verdict)}`);
  return verdict.untilMs;
}

/** The reason of a `wait` or `refused`. */
export function whyOf(verdict: Verdict): string {
  return verdict.kind === 'go' ? 'go' : verdict.why;
}
