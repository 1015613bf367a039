import type { ReplyClass } from '../domain/lane/messages.ts';

/** Activities of one bot that may hold a worker slot while they wait; of them, what `bulk` leaves to `reply` (rule 13). */
const maxHeld = 20;
const keptForReplies = 4;
/** Activities of one bot in this process altogether, quick askers among them. */
const maxInside = 40;

/** What one bot takes of one worker process: a bot that hangs must not take the slots of the others (invariant 10). */
export class BotRoom {
  #inside = 0;
  #held = 0;

  /** Whether an activity may ask at all. Each `true` wants one `leave`. */
  enter(): boolean {
    if (this.#inside >= maxInside) return false;
    this.#inside++;
    return true;
  }

  leave(): void {
    this.#inside--;
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
