import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textsIn, withoutEcho } from '../../contracts/echo.ts';
import { runs } from '../support/runs.ts';

describe('invariant 8: a service that repeats the text of the message', () => {
  test.each([
    ['a long text', 'x a long text y a long text z', 'x [text] y [text] z'],
    ['  a long text\n', 'x a long text y', 'x [text] y'],
    ['say "hello" now', 'text "say \\"hello\\" now" is wrong', 'text "[text]" is wrong'],
    ['say "hello" & <b>', 'in &quot;say &quot;hello&quot; &amp; &lt;b&gt;&quot;', 'in &quot;[text]&quot;'],
    ['two\n\nlines of it', 'x two lines of it y', 'x [text] y'],
    ['a text of many words, too long to be shown', 'x a text of many words, too l…', 'x [text]…'],
    ['[a-z]+ (b|c)* $1 ^x', 'is [a-z]+ (b|c)* $1 ^x wrong?', 'is [text] wrong?'],
  ])('%j in %j', (text, words, clean) => {
    expect(withoutEcho([text], words)).toBe(clean);
  });

  test('a code of a few digits, but not a short word', () => {
    expect(withoutEcho(['493021'], 'text 493021 is wrong')).toBe('text [text] is wrong');
    expect(withoutEcho(['chat'], 'Bad Request: chat not found')).toBe('Bad Request: chat not found');
  });

  test('a question, a caption in a group, the words of a button and its address; no id, and no way of writing', () => {
    const params = {
      chat_id: '@a_channel_name',
      parse_mode: 'MarkdownV2',
      question: 'Who gets the rise?',
      media: [{ type: 'photo', media: 'https://e.example/x', caption: 'his payslip' }],
      reply_markup: { inline_keyboard: [[{ text: 'Sign the contract', url: 'https://e.example/?t=1' }]] },
    };
    expect(textsIn(params)).toEqual([
      'Who gets the rise?',
      'https://e.example/x',
      'his payslip',
      'Sign the contract',
      'https://e.example/?t=1',
    ]);
  });

  test('a text and a caption', () => {
    expect(withoutEcho(['the text of it', 'the caption'], 'x the caption, the text of it')).toBe(
      'x [text], [text]',
    );
  });

  test('a short word, and what is no text, takes nothing out of what the service says', () => {
    const words = 'Bad Request: chat not found';
    for (const text of ['chat', 'found', 'not', '', ' ', 7, null, undefined, {}, ['Bad Request']])
      expect(withoutEcho([text], words)).toBe(words);
  });

  test('however it is spelt, and wherever it is cut after its sixteenth character, nothing of it is left', () => {
    const letters = fc.constantFrom('ж', 'я', 'щ', ' ', '\n', '"', '&', '<', '\\');
    const texts = fc.string({ unit: letters, minLength: 20, maxLength: 80 });
    const spell = fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.replace(/\s+/g, ' '),
      (text) => JSON.stringify(text).slice(1, -1),
      (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
    );
    fc.assert(
      fc.property(texts, spell, fc.nat(200), (text, spelt, cut) => {
        const echo = spelt(text.trim());
        fc.pre(/^[жящ]/.test(echo) && echo.length >= 16);
        const said = echo.slice(0, 16 + cut);
        expect(withoutEcho([text], `x ${said} y`)).not.toMatch(/[жящ]/);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('total, and without an echo the words stay', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.string({ maxLength: 60 }),
        (text, words) => {
          const clean = withoutEcho([text], words);
          expect(clean === words || clean.includes('[text]')).toBe(true);
        },
      ),
      { numRuns: runs(500) },
    );
  });
});
