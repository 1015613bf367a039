const minLength = 8;
/** So much of the beginning shows that the secret follows, cut or whole. */
const maxHeadLength = 16;

/**
 * An answer's body without the bot's secret, should the service repeat it: as it is, as in a URL, as JSON or HTML; also where
 * it is cut short at its end. Unlike a shape, it tells every secret, since this one is known (invariant 8).
 */
export function withoutSecret(body: string, secret: string): string {
  const spellings = spellingsOf(secret);
  if (spellings.length === 0) return body;
  const heads = new RegExp(spellings.map(headPattern).join('|'), 'g');
  let clean = '';
  let from = 0;
  for (let found = heads.exec(body); found !== null; found = heads.exec(body)) {
    const at = found.index;
    clean += `${body.slice(from, at)}[token]`;
    from = at + Math.max(...spellings.map((spelling) => commonLength(body, at, spelling)));
    heads.lastIndex = from;
  }
  return clean + body.slice(from);
}

function spellingsOf(secret: string): readonly string[] {
  const spellings = [secret, encodeURIComponent(secret), asJson(secret), asHtml(secret)];
  return [...new Set(spellings)].filter(({ length }) => length >= minLength);
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

function commonLength(body: string, at: number, spelling: string): number {
  let length = 0;
  while (length < spelling.length && body[at + length] === spelling[length]) length += 1;
  return length;
}
