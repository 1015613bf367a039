import type { Step } from './steps.ts';

/** Which requests a script is for: those of the bot, or of one chat of it. */
export interface ScriptScope {
  readonly chat?: string | number;
  /** How often; once by default. */
  readonly times?: number | 'always';
  /** How many matching requests, counted from now, pass before the first. */
  readonly after?: number;
}

/** A script that stands in the book. */
export interface Script {
  /** How often it was played. */
  readonly played: number;
  /** Takes it out of the book. */
  withdraw(): void;
}

interface Entry {
  readonly bot: string;
  readonly chat: string | null;
  readonly times: number;
  readonly after: number;
  readonly step: Step;
  seen: number;
  played: number;
}

/** The scripts in force. Of several that match, the one added first is played; the others keep their turns. */
export class ScriptBook {
  readonly #entries = new Set<Entry>();

  add(bot: string, scope: ScriptScope, step: Step): Script {
    if (step.kind === 'reset_at_head' && scope.chat !== undefined) {
      throw new Error(
        'reset_at_head cannot be scripted by chat: the chat stands in the body, which is not read',
      );
    }
    const entry: Entry = {
      bot,
      chat: scope.chat === undefined ? null : String(scope.chat).toLowerCase(),
      times: scope.times === 'always' ? Infinity : (scope.times ?? 1),
      after: scope.after ?? 0,
      step,
      seen: 0,
      played: 0,
    };
    this.#entries.add(entry);
    return {
      get played() {
        return entry.played;
      },
      withdraw: () => void this.#entries.delete(entry),
    };
  }

  /** True when the request is to be reset at its head. */
  takeAtHead(bot: string): boolean {
    return this.#take((entry) => entry.step.kind === 'reset_at_head' && entry.bot === bot) !== null;
  }

  /** The step for a request whose body was read; null: the usual course. */
  takeAtBody(bot: string, chat: string | null): Step | null {
    return this.#take(
      (entry) =>
        entry.step.kind !== 'reset_at_head' &&
        entry.bot === bot &&
        (entry.chat === null || entry.chat === chat),
    );
  }

  #take(matches: (entry: Entry) => boolean): Step | null {
    let step: Step | null = null;
    for (const entry of this.#entries) {
      if (!matches(entry)) continue;
      entry.seen += 1;
      if (step === null && entry.seen > entry.after && entry.played < entry.times) {
        entry.played += 1;
        step = entry.step;
      }
    }
    return step;
  }
}
