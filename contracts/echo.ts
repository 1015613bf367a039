import type { Content } from './contract.ts';
import { type Mapped, mapped, replaced } from './mapped-text.ts';

/*
 * What a service repeats of a reply's content in its own words (invariant 8). An echo has no mark, so that lengths decide,
 * and they lie where a mistake costs least: what is taken out by mistake leaves kind, code and the rest of the sentence,
 * while what is left in by mistake is at most a few words.
 */

/** A piece of the content, wherever it was cut. Longer than the longest words of services, such as "administrator". */
const minPieceWeight = 16;
/** The whole of a text, with more in it than letters and spaces: "Hi, Bob!", "password_1". */
const minWholeWeight = 8;
/** The same, of words. Shorter are those that services have of their own: "the user", "not found", "Bad Request". */
const minWordsWeight = 12;
/** In quotation marks nothing else is to be expected: `Unsupported start tag "mail@example.com"`. */
const minQuotedWeight = 4;
/** What people are shown is far shorter; the rest is dropped, since searching takes time. */
const maxSearchedLength = 8000;
const maxDepth = 64;

// Neither of them is in a normal form, so that nothing matches across.
const between = '\n';
const mark = '[text]';

/**
 * The service's words, with `[text]` for all that they repeat of the content: as it is, escaped for JSON or HTML, on one
 * line, and cut at either end. Ids, types and parse modes are no content: they may stand.
 */
export function withoutEcho(content: Content, words: string): string {
  const texts = textsIn(content.params, 0).map((text) => normal(text).text.trim());
  const searched = words.slice(0, maxSearchedLength);
  const said = normal(searched);
  const echoed = new Set<number>();
  const note = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1) echoed.add(at);
  };
  const all = texts.join(between);
  notePieces(said.text, all, note);
  noteQuoted(said.text, all, note);
  for (const text of new Set(texts)) noteWhole(said.text, text, note);
  return marked(searched, said, echoed);
}

type Note = (from: number, to: number) => void;

/**
 * How much a text says that a service would not say of itself: by its characters, of which digits count twice, and those
 * outside of ASCII four times, since a service's own words have few of them.
 */
function weightOf(text: string): number {
  let weight = 0;
  for (let at = 0; at < text.length; at += 1) weight += weightAt(text, at);
  return weight;
}

function weightAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit > 0x7f ? 4 : unit >= 0x30 && unit <= 0x39 ? 2 : 1;
}

/** A longer piece is one of these after the other. */
function notePieces(said: string, all: string, note: Note): void {
  const known = new Set([...shortestPieces(all)].map(({ piece }) => piece));
  for (const { piece, from } of shortestPieces(said)) if (known.has(piece)) note(from, from + piece.length);
}

/** From each place, the shortest piece that is long enough. */
function* shortestPieces(text: string): Generator<{ readonly piece: string; readonly from: number }> {
  let to = 0;
  let weight = 0;
  for (let from = 0; from < text.length; from += 1) {
    while (to < text.length && weight < minPieceWeight) {
      weight += weightAt(text, to);
      to += 1;
    }
    if (weight < minPieceWeight) return;
    yield { piece: text.slice(from, to), from };
    weight -= weightAt(text, from);
  }
}

const quoted = /(?<=(?<![\p{L}\p{N}])["'`“‘«])[^"'`“”‘’«»]+(?=["'`”’»](?![\p{L}\p{N}]))/gu;

function noteQuoted(said: string, all: string, note: Note): void {
  for (const { 0: inside, index } of said.matchAll(quoted)) {
    const piece = inside.replace(/(?:…|\.\.\.) *$/, '').trim();
    if (weightOf(piece) >= minQuotedWeight && all.includes(piece)) note(index, index + inside.length);
  }
}

/** A short text as a whole, between the words beside it. */
function noteWhole(said: string, text: string, note: Note): void {
  const weight = weightOf(text);
  if (weight < minWhole(text) || weight >= minPieceWeight) return;
  for (let at = said.indexOf(text); at >= 0; at = said.indexOf(text, at + text.length)) {
    const [before, after] = [said.slice(0, at), said.slice(at + text.length)];
    if (!/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after)) note(at, at + text.length);
  }
}

/** A word by itself is too likely to be the service's own: "Forbidden", "administrator". */
function minWhole(text: string): number {
  if (/^[A-Za-z]+$/.test(text)) return minPieceWeight;
  return /^[A-Za-z ]+$/.test(text) ? minWordsWeight : minWholeWeight;
}

function marked(words: string, { text, starts, ends }: Mapped, echoed: ReadonlySet<number>): string {
  let clean = '';
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    // A space at either end of an echo parts it from the service's own words.
    if (!echoed.has(at) || text[at] === ' ') continue;
    const first = at;
    let last = at;
    while (echoed.has(at + 1)) {
      at += 1;
      if (text[at] !== ' ') last = at;
    }
    clean += words.slice(from, starts[first]) + mark;
    from = ends[last] ?? words.length;
  }
  return clean + words.slice(from);
}

const notContent = /^(?:(?:.*_)?id|type|parse_mode)$/;

function textsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > maxDepth) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    notContent.test(name) ? [] : textsIn(member, depth + 1),
  );
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};
const entity = /&(?:(amp|lt|gt|quot|apos|nbsp)|#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6}));/g;
const escape = /\\+(?:u([0-9A-Fa-f]{4})|([bfnrt])|(?=[^]|$))/g;
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu;
/** Text that was escaped already, and escaped again by the service; more does not happen. */
const maxEscapes = 4;

/** One form of all spellings of a text, so that each is found in each. */
function normal(text: string): Mapped {
  let plain = mapped(text);
  for (let pass = 0; pass < maxEscapes; pass += 1) {
    const before = plain.text;
    plain = replaced(plain, escape, ([, hex, letter]) =>
      hex !== undefined ? String.fromCharCode(parseInt(hex, 16)) : letter !== undefined ? ' ' : '',
    );
    plain = replaced(plain, entity, ([, name, decimal, hex]) =>
      name !== undefined ? (entities[name] ?? '') : codePoint(decimal, hex),
    );
    if (plain.text === before) break;
  }
  // Line ends are control characters too, and must part words first.
  plain = replaced(plain, /\s+/g, () => ' ');
  return replaced(
    replaced(plain, invisible, () => ''),
    / {2,}/g,
    () => ' ',
  );
}

function codePoint(decimal: string | undefined, hex: string | undefined): string {
  const value = decimal === undefined ? parseInt(hex ?? '', 16) : parseInt(decimal, 10);
  return value > 0x10ffff ? '' : String.fromCodePoint(value);
}
