import type { Verdict } from '../domain/lane/messages.ts';
import type { OutcomeKind } from '../domain/outcome.ts';
import type { LaneClosedReason, Observe } from './observe.ts';

/** The lane's own deadline differs from what this process reckons of the same flood by less. */
const sameDeadlineMs = 2000;
/** The end of the calendar. */
const lastInstantMs = 8.64e15;

/** The changes of one bot's lane, as this process learns of them: each is told once. */
export class LaneWatch {
  readonly #bot: string;
  readonly #observe: Observe;
  readonly #log: (problem: string) => void;
  #state: 'open' | 'closed' | 'stopped' | 'paused' = 'open';
  #closedUntilMs = -Infinity;
  #saidStopped = false;

  constructor(options: {
    readonly bot: string;
    readonly observe: Observe;
    readonly log: (problem: string) => void;
  }) {
    this.#bot = options.bot;
    this.#observe = options.observe;
    this.#log = options.log;
  }

  /** An answer to this process closes the lane. `notBeforeMs` is on the lane's clock, where it can be reckoned. */
  closing(outcome: OutcomeKind | 'gone', notBeforeMs: number | undefined): void {
    if (outcome !== 'flood' && outcome !== 'held' && outcome !== 'paused') return;
    this.#close(outcome, notBeforeMs);
  }

  /** `isStale`: it was asked for before a flood that this process has met since, so a `go` says nothing. */
  verdict(verdict: Verdict, isStale: boolean): void {
    this.#noteStop(verdict);
    if (verdict.kind === 'go' && !isStale) this.#open();
    if (verdict.kind !== 'wait') return;
    if (verdict.why === 'lane_stopped') this.#enter('stopped');
    else if (verdict.why === 'lane_paused') this.#enter('paused');
    else if (verdict.cooldownMs !== undefined) this.#close('cooldown', verdict.cooldownMs);
  }

  #close(reason: LaneClosedReason, notBeforeMs: number | undefined): void {
    const isLater = notBeforeMs !== undefined && notBeforeMs > this.#closedUntilMs + sameDeadlineMs;
    if (this.#state === 'closed' && !isLater) return;
    this.#state = 'closed';
    if (notBeforeMs !== undefined) this.#closedUntilMs = Math.max(this.#closedUntilMs, notBeforeMs);
    const notBefore =
      notBeforeMs === undefined ? null : new Date(Math.min(notBeforeMs, lastInstantMs)).toISOString();
    this.#observe({ event: 'lane_closed', bot: this.#bot, reason, notBefore });
  }

  #enter(state: 'stopped' | 'paused'): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#observe({ event: `lane_${state}`, bot: this.#bot });
  }

  #open(): void {
    // An operator may have opened it long before its deadline: the next one counts from anew.
    this.#closedUntilMs = -Infinity;
    if (this.#state === 'open') return;
    this.#state = 'open';
    this.#observe({ event: 'lane_opened', bot: this.#bot });
  }

  /** A lane that has stopped by itself lets replies wait for an operator, who must hear of it: once for each stop. */
  #noteStop(verdict: Verdict): void {
    const isStopped = verdict.kind === 'wait' && verdict.why === 'lane_stopped';
    if (isStopped && !this.#saidStopped) {
      this.#log(
        `lane of ${this.#bot} has stopped, its replies wait: "replylane lane show ${this.#bot}" says why, ` +
          `"replylane lane resume ${this.#bot} --by NAME --reason WHY" opens it`,
      );
    }
    if (isStopped || verdict.kind === 'go') this.#saidStopped = isStopped;
  }
}
