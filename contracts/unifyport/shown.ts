import type { Content } from '../contract.ts';
import { printable } from '../text.ts';
import { objectIn, own } from '../json-fields.ts';

const minEchoLength = 8;
const maxHeadLength = 16;
// The form of keys is not published. A long word with digits may be one; ids of accounts and requests are not.
const keyLike = /(?<![A-Za-z0-9_-])(?!acc_|req_)(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}/g;

/** The service's words made fit to be shown and kept: printable, without the text of the message or what may be a key. */
export function shown(content: Content, words: string, maxLength: number): string {
  const line = printable(withoutText(content, words), Infinity);
  return printable(line.replace(keyLike, '[key]'), maxLength);
}

/** Without the text, should the service repeat it as it is, as JSON, or on one line; also where it is cut short. */
export function withoutText(content: Content, words: string): string {
  const spellings = spellingsOf(own(objectIn(content.params, 'message'), 'text'));
  if (spellings.length === 0) return words;
  const heads = new RegExp(spellings.map(headPattern).join('|'), 'g');
  let clean = '';
  let from = 0;
  for (let found = heads.exec(words); found !== null; found = heads.exec(words)) {
    const at = found.index;
    clean += `${words.slice(from, at)}[text]`;
    from = at + Math.max(...spellings.map((spelling) => echoLength(words, at, spelling)));
    heads.lastIndex = from;
  }
  return clean + words.slice(from);
}

function spellingsOf(text: unknown): readonly string[] {
  if (typeof text !== 'string') return [];
  const echo = text.trim();
  const spellings = [echo, JSON.stringify(echo).slice(1, -1), echo.replace(/\s+/g, ' ')];
  return spellings.filter(({ length }) => length >= minEchoLength);
}

function headPattern(spelling: string): string {
  return spelling.slice(0, maxHeadLength).replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** How much of the text stands there, in one spelling. */
function echoLength(words: string, at: number, spelling: string): number {
  let length = 0;
  while (length < spelling.length && words[at + length] === spelling[length]) length += 1;
  return length;
}
