export interface RareNotesOptions {
  readonly note: (text: string) => void;
  readonly monotonicMs?: () => number;
}

interface Told {
  readonly atMs: number;
  /** Those like it since then, which were not told. */
  untold: number;
}

const quietMs = 60_000;
const mostSubjects = 1000;

/**
 * Notes of what may come with every request or reply: the first is told at once, what is like it within the minute after is only
 * counted, and the next one after that names the count. While something is missing, that is a note for each of thousands.
 */
export class RareNotes {
  readonly #note: (text: string) => void;
  readonly #monotonicMs: () => number;
  readonly #told = new Map<string, Told>();

  constructor({ note, monotonicMs = () => performance.now() }: RareNotesOptions) {
    this.#note = note;
    this.#monotonicMs = monotonicMs;
  }

  /** `subject`: notes that share it are alike. */
  tell(subject: string, text: string): void {
    const nowMs = this.#monotonicMs();
    const told = this.#told.get(subject);
    if (told && nowMs - told.atMs < quietMs) {
      told.untold += 1;
      return;
    }
    this.#note(told && told.untold > 0 ? `${text} (and ${told.untold} more like it since the last)` : text);
    // The oldest stands first.
    this.#told.delete(subject);
    this.#told.set(subject, { atMs: nowMs, untold: 0 });
    for (const oldest of this.#told.keys()) {
      if (this.#told.size <= mostSubjects) break;
      this.#told.delete(oldest);
    }
  }
}
