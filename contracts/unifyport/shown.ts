import type { Content } from '../contract.ts';
import { withoutEcho } from '../echo.ts';
import { printable } from '../text.ts';

// The form of keys is not published. A long word with digits may be one; ids of accounts and requests are not.
const keyLike = /(?<![A-Za-z0-9_-])(?!acc_|req_)(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}/g;

/** The service's words made fit to be shown and kept: printable, without what repeats the content or may be a key. */
export function shown(content: Content, words: string, maxLength: number): string {
  const line = printable(withoutEcho(content, words), Infinity);
  return printable(line.replace(keyLike, '[key]'), maxLength);
}
