import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Content, contractNames, contractOf } from '../../contracts/index.ts';
import { withoutEcho } from '../../contracts/echo.ts';
import { runs } from '../support/runs.ts';

const saying = (text: unknown): Content => ({ method: 'sendMessage', params: { chat_id: 1, text } });

describe('what a service repeats of a content is marked', () => {
  test.each([
    ['as it is', 'Dear Ann, your code is 7', 'bad: Dear Ann, your code is 7!', 'bad: [text]!'],
    ['cut at its end', 'Dear Ann, your code is 7', 'bad: Dear Ann, your c…', 'bad: [text]…'],
    ['cut at its beginning', 'Dear Ann, your code is 7', '…nn, your code is 7', '…[text]'],
    ['cut at both', 'Dear Ann, your code is 7', '…Ann, your code is…', '…[text]…'],
    ['cut to no less than 16', 'Dear Ann, your code is 7', 'Dear Ann, your c and', '[text] and'],
    ['as JSON', 'say "hi"\n\tC:\\new', 'bad: say \\"hi\\"\\n\\tC:\\\\new.', 'bad: [text].'],
    ['as JSON of JSON', 'say "hi"\nto them', 'bad: say \\\\\\"hi\\\\\\"\\\\nto them.', 'bad: [text].'],
    ['in ASCII alone', 'жду вас', 'bad: \\u0436\\u0434\\u0443 \\u0432\\u0430\\u0441.', 'bad: [text].'],
    ['an emoji in ASCII', 'ok 🎉🎉', 'bad: ok \\ud83c\\udf89\\uD83C\\uDF89.', 'bad: [text].'],
    [
      'as HTML',
      '<b>5 > 4 & "no"</b>',
      '&lt;b&gt;5 &gt; 4 &amp; &quot;no&quot;&lt;/b&gt; is bad',
      '[text] is bad',
    ],
    [
      'as HTML in HTML',
      'say "hello" & <b>',
      'in &quot;say &quot;hello&quot; &amp; &lt;b&gt;&quot;',
      'in &quot;[text]&quot;',
    ],
    ['as HTML by numbers', "it's <so> & so", 'it&#39;s &#x3c;so&#X3E; &#38; so is bad', '[text] is bad'],
    [
      'as HTML of HTML',
      'it&#39;s &lt;so&gt;, all',
      'it&amp;#39;s &amp;lt;so&amp;gt;, all is bad',
      '[text] is bad',
    ],
    ['on one line', 'two\r\n\r\n  lines of it', 'bad: two lines of it.', 'bad: [text].'],
    ['on more lines', 'one line of some words', 'bad: one line\n  of some words.', 'bad: [text].'],
    ['with line ends as JSON', 'two\nlines, or  more', 'bad: two\\nlines, or more.', 'bad: [text].'],
    ['without what is invisible', 'a\u200Bb\u202Ec, and so on, on', 'abc, and so on, on', '[text]'],
    ['twice', 'this and that', 'this and that: this and that', '[text]: [text]'],
    ['short, but no word', 'Hi, Bob!', 'bad: Hi, Bob!', 'bad: [text]'],
    ['a number in it', 'code 123456', 'bad: code 123456.', 'bad: [text].'],
    ['a number of it', 'call 12345678, please', 'no 12345678', 'no [text]'],
    ['like a pattern', '[a-z]+ (b|c)* $1 ^x', 'is [a-z]+ (b|c)* $1 ^x wrong?', 'is [text] wrong?'],
    [
      'its middle in quotes',
      'write to <a@b.example>',
      'Unsupported start tag "a@b.example" at',
      'Unsupported start tag "[text]" at',
    ],
    ['cut in quotes', 'Bob, come', 'text “Bob, c…” is', 'text “[text]” is'],
    ['in single ones', 'Bob, come', "text 'Bob,' is", "text '[text]' is"],
  ])('%s: %j in %j', (_, text, words, clean) => expect(withoutEcho(saying(text), words)).toBe(clean));

  test.each([
    [{ caption: 'Dear Ann, your code is 7' }],
    [{ media: [{ type: 'photo', media: 'x', caption: 'Dear Ann, your code is 7' }] }],
    [{ message: { type: 'text', text: 'Dear Ann, your code is 7' } }],
    [{ reply_markup: { inline_keyboard: [[{ text: 'Dear Ann, your code is 7' }]] } }],
  ])('wherever it stands in the content: %j', (params) =>
    expect(withoutEcho({ method: 'm', params }, 'no Dear Ann, your code is 7')).toBe('no [text]'),
  );

  test('from the first 8,000 characters; what comes after them is left out', () => {
    const text = 'one two three '.repeat(1000);
    expect(withoutEcho(saying(text), `bad: ${text}`)).toBe('bad: [text]');
    expect(withoutEcho(saying('x'), 'a'.repeat(9000))).toHaveLength(8000);
  });
});

test.each([['&#1114112;'], ['&#9999999;'], ['&#x110000;'], ['&#xFFFFFF;'], ['&#55296;'], ['\\ud800']])(
  'a number beyond all characters is none, and harms nothing: %s',
  (number) =>
    expect(withoutEcho(saying('Dear Ann, your code is 7'), `${number} Dear Ann, your code is 7!`)).toMatch(
      /\[text\]!$/,
    ),
);

test.each([
  ['7'.repeat(8), 'as 77777777 it', 'as [text] it'],
  ['0909090', 'as 0909090 it', 'as [text] it'],
])('digits count twice: %j', (text, words, shown) => expect(withoutEcho(saying(text), words)).toBe(shown));

test('a text is found at any depth of the content but beyond 64', () => {
  const nested = (depth: number): unknown => {
    let value: unknown = 'Dear Ann, your code is 7';
    for (let i = 0; i < depth; i++) value = { in: value };
    return value;
  };
  const shown = (depth: number): string =>
    withoutEcho({ method: 'm', params: { a: nested(depth) } }, 'Dear Ann, your code is 7');
  expect(shown(1)).toBe('[text]');
  expect(shown(63)).toBe('[text]');
  expect(shown(100_000)).toBe('Dear Ann, your code is 7');
});

describe('the service’s own words stand', () => {
  const ordinary = [
    'Bad Request: chat not found',
    'Bad Request: message is too long',
    'Bad Request: not enough rights to send text messages to the chat',
    'Bad Request: need administrator rights in the channel chat',
    'Forbidden: bot was blocked by the user',
    'Unauthorized',
    'Bad Request: can\'t parse entities: Can\'t find end tag corresponding to start tag "b"',
    'invalid_request: the field "to" is required',
    'the request was refused, since parameters are missing',
  ];
  const common = [
    '',
    ' ',
    'a',
    'no',
    'Chat',
    'chat',
    'found',
    'the user',
    'not found',
    'Bad Request',
    'message',
    'request',
    'Forbidden',
    'permission',
    'parameters',
    'administrator',
    'not',
    'text',
    'b',
    'Your chat was not found by our administrator',
    'I request that the bot blocked the user',
  ];
  test.each(common)('for the text %j', (text) => {
    for (const words of ordinary) expect(withoutEcho(saying(text), words)).toBe(words);
  });

  test.each([
    ['one long tex', 'x one long text y'],
    ['one long text', 'x one long texts y'],
    ['Dear Ann, your code is 7', 'Dear Ann, your '],
    [7, 'x 7 y'],
    [null, 'null'],
  ])('where less of the content stands in them, or a part of a word: %j in %j', (text, words) =>
    expect(withoutEcho(saying(text), words)).toBe(words),
  );

  test('of ids and modes, which are no content', () => {
    const params = {
      chat_id: '@a_channel_of_ours',
      parse_mode: 'MarkdownV2',
      to: { id: 'group-of-120@g.us', type: 'channel' },
    };
    const words = 'no @a_channel_of_ours in MarkdownV2 of group-of-120@g.us';
    expect(withoutEcho({ method: 'm', params }, words)).toBe(words);
  });
});

/** All that is kept of an answer in which the words stand wherever a service may have them. */
function kept(contractName: string, text: string, words: string, httpStatus: number): string {
  const contract = contractOf(contractName);
  const content = contract?.text.content(contractName === 'unifyport' ? 'user:1' : 1, text);
  if (!contract || !content) throw new Error('no contract');
  const said = { message: words, description: words, parameter: words };
  const bodies = [
    { ok: false, error_code: httpStatus, description: words },
    { ok: false, error_code: 429, description: words },
    { ok: false, error: { code: 'odd', ...said } },
    { ok: false, error: { code: words, ...said } },
    { ...said, error: words, name: 'odd', request_id: words },
    words,
  ];
  const headers = { 'content-type': words, 'x-request-id': words };
  return JSON.stringify(
    bodies.map((body) => {
      const answer = { httpStatus, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
      return [contract.classify(content, answer), contract.serviceError(content, answer)];
    }),
  );
}

type Spelling = (text: string) => string;
const asJson: Spelling = (text) => JSON.stringify(text).slice(1, -1);
const asAscii: Spelling = (text) =>
  asJson(text).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const asHtml: Spelling = (text) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
const onOneLine: Spelling = (text) => text.replace(/\s+/g, ' ');
const spellings = fc
  .array(fc.constantFrom<Spelling>(asJson, asAscii, asHtml, onOneLine), { maxLength: 2 })
  .map(
    (list): Spelling =>
      (text) =>
        list.reduce((spelled, spell) => spell(spelled), text),
  );
const status = fc.constantFrom(200, 400, 403, 404, 409, 429, 500, 502, 503);
// Letters that stand in no word of the outcomes, so that a match can only be an echo.
const glue = [' ', '\n', '"', "'", '<', '&', '\\', '\t'];
const alphabets = [
  { letters: ['ж', 'я', 'щ'], least: 4, name: 'another script' },
  { letters: ['Q', 'Z', 'W', 'K'], least: 16, name: 'ASCII' },
];

describe.each(contractNames)('invariant 8: of %s', (contract) => {
  test.each(alphabets)(
    'nothing of the text is kept, however the service spells and cuts its echo: $name',
    ({ letters, least }) => {
      const words = fc.string({
        unit: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...letters) }, fc.constantFrom(...glue)),
        minLength: least,
        maxLength: 80,
      });
      const isLetter = new RegExp(`[${letters.join('')}]`, 'g');
      fc.assert(
        fc.property(
          words,
          spellings,
          fc.nat(60),
          fc.nat(60),
          status,
          (text, spell, cut, rest, httpStatus) => {
            const from = Math.min(cut, text.length);
            const piece = text.slice(from, Math.max(from, text.length - rest));
            fc.pre((piece.match(isLetter)?.length ?? 0) >= least);
            for (const said of [`bad: ${spell(piece)} is no text`, `"${spell(piece)}"`, spell(piece)])
              expect(kept(contract, text, said, httpStatus)).not.toMatch(isLetter);
          },
        ),
        { numRuns: runs(300) },
      );
    },
  );

  test('a text that was cut off after it was spelled is not kept either', () => {
    const words = fc.string({ unit: fc.constantFrom('ж', 'я', 'щ', ...glue), minLength: 16, maxLength: 60 });
    fc.assert(
      fc.property(words, spellings, fc.nat(60), (text, spell, cut) => {
        const said = spell(text).slice(0, Math.max(0, spell(text).length - cut));
        // As many letters as an echo is known by; in ASCII each of them has six characters.
        fc.pre((said.match(/[жящ]|\\u04[0-9a-f]{2}/g)?.length ?? 0) >= 4);
        expect(kept(contract, text, `${said}…`, 400)).not.toMatch(/[жящ]|\\u04[0-9a-f]{2}/);
      }),
      { numRuns: runs(300) },
    );
  });
});

test('any words are cleaned without a failure, and what is left of them stands in its order', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 });
  fc.assert(
    fc.property(fc.array(text), text, (texts, words) => {
      const clean = withoutEcho({ method: 'm', params: { texts } }, words);
      let from = 0;
      for (const part of clean.split('[text]')) {
        from = words.indexOf(part, from);
        expect(from).toBeGreaterThanOrEqual(0);
        from += part.length;
      }
      expect(withoutEcho(saying(7), words)).toBe(words);
    }),
    { numRuns: runs(1000) },
  );
});
