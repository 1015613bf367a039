/** Measures and cleans text. Pure, and without any global that Temporal's workflow sandbox lacks. */

const lowSurrogate = /^[\uDC00-\uDFFF]/;

/** Number of Unicode code points: what services call characters, where JavaScript's `length` counts UTF-16 units. */
export function countCodePoints(text: string): number {
  return [...text].length;
}

/** Number of bytes of the text as UTF-8 (a lone surrogate counts as the replacement character it would become). */
export function countUtf8Bytes(text: string): number {
  let count = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    count += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
  }
  return count;
}

/** Whether the text has half of a surrogate pair, which UTF-8 cannot carry. */
export function hasLoneSurrogate(text: string): boolean {
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) return true;
  }
  return false;
}

// A bot token in any text, also percent-encoded or glued to another one. The bounds keep the search linear on hostile input.
const tokenLike = /\d{1,20}(?:(?::|%3A)[A-Za-z0-9_-]{30,})+/gi;
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu;

/**
 * Text of foreign origin made fit to be shown and kept: one line, printable, without anything that looks like a bot's
 * token, at most `maxLength` UTF-16 units, never cut within a surrogate pair.
 */
export function printable(text: string, maxLength: number): string {
  const clean = text.replace(/\s+/g, ' ').replace(unprintable, '').replace(tokenLike, '[token]').trim();
  if (clean.length <= maxLength) return clean;
  const end = lowSurrogate.test(clean.slice(maxLength - 1)) ? maxLength - 2 : maxLength - 1;
  return `${clean.slice(0, end)}…`;
}
