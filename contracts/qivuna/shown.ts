import type { Content } from '../contract.ts';
import { withoutEcho } from '../echo.ts';
import { printable } from '../text.ts';

// Enough to fill what is shown, and short enough to be searched at once.
const maxSearchedLength = 1000;
// The form of ids and secrets is not documented, so whatever may be one is left out, but not the root of a URL.
const tokens = [/\bBot\s+\S+?(?::|%3A)\S+/gi, /[^\s:]{1,64}(?::|%3A)(?!\/\/)\S{8,}/gi];

/**
 * The service's words made fit to be shown and kept: printable, without what repeats the content, and
 * without anything that may be a token (invariant 8).
 */
export function shown(content: Content, words: string, maxLength: number): string {
  const line = printable(withoutEcho(content, words), maxSearchedLength);
  return printable(
    tokens.reduce((clean, token) => clean.replace(token, '[token]'), line),
    maxLength,
  );
}
