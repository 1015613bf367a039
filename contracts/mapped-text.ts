/** A text that was made of another one: for each of its UTF-16 units, where it begins and ends there. */
export interface Mapped {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** A text as it is. */
export function mapped(text: string): Mapped {
  const starts = Array.from({ length: text.length }, (_, at) => at);
  return { text, starts, ends: starts.map((at) => at + 1) };
}

/** Puts other text in the place of each match of a global pattern; it stands for the whole of what was there. */
export function replaced(
  { text, starts, ends }: Mapped,
  pattern: RegExp,
  by: (match: RegExpMatchArray) => string,
): Mapped {
  const made = { text: '', starts: [] as number[], ends: [] as number[] };
  const copy = (from: number, to: number): void => {
    made.text += text.slice(from, to);
    for (let at = from; at < to; at += 1) {
      made.starts.push(starts[at] ?? 0);
      made.ends.push(ends[at] ?? 0);
    }
  };
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    copy(from, match.index);
    const other = by(match);
    made.text += other;
    for (let unit = 0; unit < other.length; unit += 1) {
      made.starts.push(starts[match.index] ?? 0);
      made.ends.push(ends[end - 1] ?? 0);
    }
    from = end;
  }
  copy(from, text.length);
  return made;
}
