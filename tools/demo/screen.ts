import { type Glance, seconds, tableLine, tableRows } from './table.ts';

/** Where the demo tells what happens: lines that stay, and how things stand. */
export interface Screen {
  /** A line that stays. With `atMs` (elapsed time) it tells when. */
  say(line: string, atMs?: number): void;
  /** From now on until `freeze`, how things stand is shown too. */
  follow(glance: () => Glance, total: number): void;
  /** Shows it a last time, and no longer. */
  freeze(): void;
  /** Nothing is shown any more, whoever still has something to say. */
  close(): void;
}

export interface ScreenTarget {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** A table that is drawn again in place on a terminal; a line now and then elsewhere. */
export function createScreen(target: ScreenTarget): Screen {
  return target.isTTY === true ? new TerminalScreen(target) : new LineScreen(target);
}

const redrawEveryMs = 200;
const lineEveryMs = 3000;

abstract class FollowingScreen implements Screen {
  protected readonly target: ScreenTarget;
  protected show: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(target: ScreenTarget) {
    this.target = target;
  }

  abstract say(line: string, atMs?: number): void;
  protected abstract shower(glance: () => Glance, total: number): () => void;
  protected abstract readonly everyMs: number;

  follow(glance: () => Glance, total: number): void {
    this.show = this.shower(glance, total);
    this.show();
    this.#timer = setInterval(this.show, this.everyMs);
  }

  freeze(): void {
    clearInterval(this.#timer);
    this.show?.();
    this.show = undefined;
  }

  close(): void {
    this.freeze();
    this.#isClosed = true;
  }

  protected write(text: string): void {
    if (!this.#isClosed) this.target.write(text);
  }
}

class LineScreen extends FollowingScreen {
  protected readonly everyMs = lineEveryMs;

  say(line: string, atMs?: number): void {
    this.write(`${stamped(line, atMs)}\n`);
  }

  protected shower(glance: () => Glance): () => void {
    return () => {
      const now = glance();
      this.say(tableLine(now), now.elapsedMs);
    };
  }
}

class TerminalScreen extends FollowingScreen {
  protected readonly everyMs = redrawEveryMs;
  #rows = 0;

  say(line: string, atMs?: number): void {
    this.#erase();
    this.write(`${stamped(line, atMs)}\n`);
    this.show?.();
  }

  override freeze(): void {
    super.freeze();
    this.#rows = 0;
  }

  protected shower(glance: () => Glance, total: number): () => void {
    return () => {
      // A row that the terminal wraps would be two, and the cursor would not come back to where it began.
      const width = (this.target.columns ?? 80) - 1;
      const rows = ['', ...tableRows(glance(), total)].map((row) => row.slice(0, width));
      this.#erase();
      this.write(`${rows.join('\n')}\n`);
      this.#rows = rows.length;
    };
  }

  #erase(): void {
    if (this.#rows > 0) this.write(`\u001B[${this.#rows}A\u001B[0J`);
    this.#rows = 0;
  }
}

function stamped(line: string, atMs: number | undefined): string {
  return atMs === undefined ? line : `${seconds(atMs).padStart(7)}  ${line}`;
}
