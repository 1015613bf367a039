/** What a command prints: its answer on stdout (as JSON on request), everything else on stderr. */
export class Output {
  readonly #isJson: () => boolean;

  constructor(isJson: () => boolean) {
    this.#isJson = isJson;
  }

  get json(): boolean {
    return this.#isJson();
  }

  /** The answer: one document, or one line of a list. */
  answer(value: unknown, text: () => string): void {
    process.stdout.write(`${this.json ? JSON.stringify(value) : harmless(text())}\n`);
  }

  /** Something that a person should know, beside the answer. */
  note(text: string): void {
    process.stderr.write(`replylane: ${harmless(text)}\n`);
  }
}

/** A key may hold anything: nothing of it steers the terminal, or turns the direction of its text. */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (sign) =>
    /[\n\t]/.test(sign) ? sign : '\ufffd',
  );
}

/** Lines with aligned columns; the last one is not padded. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map((row) => (row[at] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
