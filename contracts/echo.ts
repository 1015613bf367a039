/** Shorter texts are words that a service may say of itself ("not found"); to take them out would hide why it refused. */
const minEchoLength = 8;
/** So much of the beginning shows that the text follows, cut or whole. */
const maxHeadLength = 16;

/**
 * A service's words without the texts of the message, should it repeat them: as they are, as JSON or HTML, or on one line;
 * also where a text is cut short at its end (invariant 8).
 */
export function withoutEcho(texts: readonly unknown[], words: string): string {
  const spellings = texts.flatMap(spellingsOf);
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
  const line = echo.replace(/\s+/g, ' ');
  const spellings = [echo, line, asJson(echo), asHtml(echo), asHtml(line)];
  return [...new Set(spellings)].filter(({ length }) => length >= minEchoLength);
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
