import { harmless } from '../output.ts';

/** What a live picture needs of a terminal. */
export interface Terminal {
  readonly columns: number | undefined;
  readonly rows: number | undefined;
  write(text: string): unknown;
}

const home = '\u001B[H';
const clearBelow = '\u001B[J';
const clearAll = '\u001B[2J';

/** Some terminals say zero, or nothing. */
const unknownSize = { columns: 80, rows: 24 };

/** One picture at a time, each drawn over the last. */
export class LiveScreen {
  readonly #terminal: Terminal;
  #isDrawn = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  draw(text: string): void {
    const lines = fitted(harmless(text).split('\n'), this.#terminal);
    this.#terminal.write(`${this.#isDrawn ? '' : clearAll}${home}${clearBelow}${lines.join('\n')}\n`);
    this.#isDrawn = true;
  }
}

/** A line that wraps, or one too many, would push the top of the picture out. The last row is the cursor's. */
function fitted(lines: readonly string[], { columns, rows }: Terminal): readonly string[] {
  const most = Math.max(2, (rows || unknownSize.rows) - 1);
  const shown = lines.length <= most ? lines : lines.slice(0, most - 1);
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`… ${more} more lines`] : [])].map((line) =>
    [...line].slice(0, columns || unknownSize.columns).join(''),
  );
}
