import type { ReplyClass } from '../domain/lane/messages.ts';

/** Activities of one bot that may hold a worker slot while they wait; of them, what `bulk` leaves to `reply` (rule 13). */
const maxHeld = 20;
const keptForReplies = 4;
/** Activities of one bot in this process altogether, quick askers among them. */
const maxInside = 40;
/** Soonest return of one that found no room, and how far apart they come: about as many a second as one bot sends. */
const soonestReturnMs = 2000;
const returnPitchMs = 100;
const latestReturnMs = 5 * 60_000;

/** What one bot takes of one worker process: a bot that hangs must not take the slots of the others (invariant 10). */
export class BotRoom {
  #inside = 0;
  #held = 0;
  #nextReturnMs = 0;

  /** Whether an activity may ask at all. Each `true` wants one `leave`. */
  enter(): boolean {
    if (this.#inside >= maxInside) return false;
    this.#inside++;
    return true;
  }

  leave(): void {
    this.#inside--;
  }

  /**
   * In how many milliseconds one that found no room comes back: one after the other. However many a backlog has, their
   * rounds through Temporal stay fewer than it can carry; all at once, they would keep each other late for ever.
   */
  returnInMs(nowMs: number): number {
    const returnMs = Math.max(nowMs + soonestReturnMs, this.#nextReturnMs);
    this.#nextReturnMs = Math.min(returnMs + returnPitchMs, nowMs + latestReturnMs);
    return returnMs - nowMs;
  }

  /** Whether an activity may wait here instead of in its workflow. Each `true` wants one `release`. */
  hold(replyClass: ReplyClass): boolean {
    if (this.#held >= maxHeld - (replyClass === 'bulk' ? keptForReplies : 0)) return false;
    this.#held++;
    return true;
  }

  release(): void {
    this.#held--;
  }
}
