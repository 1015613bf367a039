/** Shorter texts are words that a service may say of itself ("not found"); to take them out would hide why it refused. */
const minEchoLength = 8;
/** But a number is seldom a service's own word, and may be a code that lets its reader in. */
const minNumberLength = 4;
/** Fields whose values say how and where to, in words that a service must be able to name. */
const notText = /(?:^|_)id$|^(?:parse_mode|type|language|emoji|action)$/;
/** So much of the beginning shows that the text follows, cut or whole. */
const maxHeadLength = 16;

/**
 * A service's words without the texts of the message, should it repeat them: as they are, as JSON or HTML, or on one line;
 * also where a text is cut short at its end (invariant 8).
 */
export function withoutEcho(texts: readonly unknown[], words: string, instead = '[text]'): string {
  const spellings = texts.flatMap(spellingsOf);
  if (spellings.length === 0) return words;
  const heads = new RegExp(spellings.map(headPattern).join('|'), 'g');
  let clean = '';
  let from = 0;
  for (let found = heads.exec(words); found !== null; found = heads.exec(words)) {
    const at = found.index;
    clean += `${words.slice(from, at)}${instead}`;
    from = at + Math.max(...spellings.map((spelling) => echoLength(words, at, spelling)));
    heads.lastIndex = from;
  }
  return clean + words.slice(from);
}

/** Every text in the parameters of a method: captions, questions and buttons as well. Ids are none. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return Object.entries(value).flatMap(([name, field]) => (notText.test(name) ? [] : textsIn(field)));
}

function spellingsOf(text: unknown): readonly string[] {
  if (typeof text !== 'string') return [];
  const echo = text.trim();
  const line = echo.replace(/\s+/g, ' ');
  const spellings = [echo, line, asJson(echo), asHtml(echo), asHtml(line)];
  const least = /^\d+$/.test(echo) ? minNumberLength : minEchoLength;
  return [...new Set(spellings)].filter(({ length }) => length >= least);
}

function asJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function asHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
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
