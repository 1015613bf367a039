/** The flood control of one fake bot: windows and penalties. Pure state, time is an argument. */

export type WindowScope = 'bot' | 'chat' | 'group';

/** At most `limit` arrivals in any `perMs`; two arrivals exactly `perMs` apart are not in one window. */
export interface Window {
  readonly limit: number;
  readonly perMs: number;
}

/** `chat` holds for each chat with a positive id, `group` for each with a negative id or an `@name`. */
export type Windows = { readonly [Scope in WindowScope]?: readonly Window[] };

/** What a call before a penalty's end does to that end. */
export type EarlyRule =
  | { readonly kind: 'fixed' }
  | { readonly kind: 'double_rest' }
  | { readonly kind: 'add_seconds'; readonly seconds: number };

export interface PenaltyRule {
  /** Who has to wait after a window was exceeded: the whole bot (default), or only what the window counts. */
  readonly scope?: 'bot' | 'window';
  /** Least length of a penalty after a window was exceeded; 0 by default: until the window has room again. */
  readonly atLeastMs?: number;
  /** `fixed` by default. */
  readonly early?: EarlyRule;
}

/** `flood.chat`: who has to wait, null for the whole bot. */
export type Ruling =
  | { readonly kind: 'pass' }
  | { readonly kind: 'flood'; readonly chat: string | null; readonly endsAtMs: number };

export function scopeOfChat(chat: string): 'chat' | 'group' {
  return /^\d/.test(chat) ? 'chat' : 'group';
}

const WHOLE_BOT = '';

export class FloodControl {
  readonly #windows: Windows;
  readonly #penalty: PenaltyRule;
  readonly #longestMs: number;
  /** Instants of the arrivals that took a slot and may still count, ascending, by chat or `WHOLE_BOT`. */
  readonly #taken = new Map<string, number[]>();
  readonly #ends = new Map<string, number>();

  constructor(windows: Windows, penalty: PenaltyRule) {
    this.#windows = windows;
    this.#penalty = penalty;
    this.#longestMs = Math.max(
      0,
      ...Object.values(windows).flatMap((list) => list.map(({ perMs }) => perMs)),
    );
  }

  /** End of the penalty that holds for the chat (null: for the whole bot); in the past or -Infinity when there is none. */
  endsAtMs(chat: string | null): number {
    const ofBot = this.#ends.get(WHOLE_BOT) ?? -Infinity;
    return chat === null ? ofBot : Math.max(ofBot, this.#ends.get(chat) ?? -Infinity);
  }

  /** Starts a penalty, or makes the present one later; never earlier. Returns its end. */
  penalize(chat: string | null, endsAtMs: number): number {
    const key = chat ?? WHOLE_BOT;
    const end = Math.max(this.#ends.get(key) ?? -Infinity, endsAtMs);
    this.#ends.set(key, end);
    return end;
  }

  /** Judges an arrival. One that is let pass takes its slots; one met by a flood takes none but may lengthen the penalty. */
  judge(atMs: number, chat: string | null): Ruling {
    for (const held of chat === null ? [null] : [null, chat]) {
      const end = this.#ends.get(held ?? WHOLE_BOT) ?? -Infinity;
      if (atMs < end) {
        return { kind: 'flood', chat: held, endsAtMs: this.penalize(held, this.#lengthened(end, atMs)) };
      }
    }
    const full = this.#fullest(atMs, chat);
    if (full !== null) {
      const held = this.#penalty.scope === 'window' ? full.chat : null;
      const endsAtMs = Math.max(full.roomAtMs, atMs + (this.#penalty.atLeastMs ?? 0));
      return { kind: 'flood', chat: held, endsAtMs: this.penalize(held, endsAtMs) };
    }
    this.take(atMs, chat);
    return { kind: 'pass' };
  }

  /** Counts an arrival in the windows without judging it. */
  take(atMs: number, chat: string | null): void {
    for (const key of chat === null ? [WHOLE_BOT] : [WHOLE_BOT, chat]) {
      const instants = (this.#taken.get(key) ?? []).filter((instant) => instant > atMs - this.#longestMs);
      instants.push(atMs);
      instants.sort((a, b) => a - b);
      this.#taken.set(key, instants);
    }
  }

  #lengthened(endsAtMs: number, atMs: number): number {
    const rule = this.#penalty.early ?? { kind: 'fixed' };
    switch (rule.kind) {
      case 'fixed':
        return endsAtMs;
      case 'double_rest':
        return atMs + 2 * (endsAtMs - atMs);
      case 'add_seconds':
        return endsAtMs + rule.seconds * 1000;
    }
  }

  /** Of the windows that have no room for an arrival, the one that has to be waited for longest. */
  #fullest(
    atMs: number,
    chat: string | null,
  ): { readonly chat: string | null; readonly roomAtMs: number } | null {
    let fullest: { readonly chat: string | null; readonly roomAtMs: number } | null = null;
    const scopes = chat === null ? (['bot'] as const) : (['bot', scopeOfChat(chat)] as const);
    for (const scope of scopes) {
      const counted = scope === 'bot' ? null : chat;
      const instants = this.#taken.get(counted ?? WHOLE_BOT) ?? [];
      for (const { limit, perMs } of this.#windows[scope] ?? []) {
        const inWindow = instants.filter((instant) => instant > atMs - perMs);
        const oldest = inWindow[inWindow.length - limit];
        if (oldest !== undefined && oldest + perMs > (fullest?.roomAtMs ?? -Infinity)) {
          fullest = { chat: counted, roomAtMs: oldest + perMs };
        }
      }
    }
    return fullest;
  }
}
