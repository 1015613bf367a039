import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { telegram } from '../../contracts/telegram.ts';
import { countCodePoints } from '../../contracts/text.ts';
import { runs } from '../support/runs.ts';
import { type OfficialParser, type ParseMode, isRequired, loadOfficialParser } from './official-parser.ts';
import { answered, message, refusal } from './telegram-samples.ts';

const maxCodePoints = 4096;
const parseModes = ['HTML', 'MarkdownV2', 'Markdown'] as const;
const parser = loadOfficialParser();

test('on Linux x64 with glibc the official parser loads; elsewhere it may be missing', () => {
  if (parser instanceof Error && isRequired) throw parser;
});

if (!(parser instanceof Error)) compareWith(parser);

/** What our check says to a text with or without a parse mode. */
function problems(text: string, parse_mode?: ParseMode): readonly string[] {
  const params = parse_mode === undefined ? { text } : { text, parse_mode };
  return telegram.check(message(params)).map(({ problem }) => problem);
}

/** As the Bot API server words what TDLib said: behind its prefix, beginning in lower case. */
function description(sentence: string): string {
  return `Bad Request: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

function compareWith({ version, parse, sent }: OfficialParser): void {
  const length = (text: string): number => countCodePoints(sent(text));

  /** How long the text is when the service counts it, after its marks; a sentence where it cannot be parsed. */
  const parsedLength = (text: string, mode: ParseMode): number | string => {
    const parsing = parse(text, mode);
    return parsing.kind === 'text' ? length(parsing.text) : parsing.sentence;
  };

  describe(`TDLib ${version}: length`, () => {
    test('it counts code points, not UTF-16 units', () => {
      expect(parse('😀'.repeat(65_536), 'HTML').kind).toBe('text');
      const tooLong = { kind: 'error', sentence: "Can't parse entities: Text is too long" };
      expect(parse('a'.repeat(65_537), 'HTML')).toEqual(tooLong);
    });

    test.each<[string, ParseMode, string]>([
      ['letters in bold', 'HTML', `<b>${'a'.repeat(4096)}</b>`],
      ['emoji in bold', 'HTML', `<b>${'😀'.repeat(4096)}</b>`],
      ['letters, each in bold: 32,768 bytes', 'HTML', '<b>a</b>'.repeat(4096)],
      ['signs that HTML writes as names', 'HTML', '&lt;'.repeat(4096)],
      ['letters in a long link', 'HTML', `<a href="http://a.b/${'c'.repeat(9000)}">${'a'.repeat(4096)}</a>`],
      ['letters and lines of Windows', 'HTML', `<i>${'a\r\n'.repeat(2048)}</i>`],
      ['escaped dots', 'MarkdownV2', '\\.'.repeat(4096)],
      ['emoji in italics', 'MarkdownV2', `_${'😀'.repeat(4096)}_`],
      ['letters, each struck through', 'MarkdownV2', '~a~ '.repeat(2048)],
      ['letters in bold', 'Markdown', `*${'a'.repeat(4096)}*`],
      ['letters in a long link', 'Markdown', `[${'a'.repeat(4096)}](http://a.b/${'c'.repeat(9000)})`],
    ])('4,096 %s in %s, which it accepts: not refused', (_, mode, text) => {
      expect(parsedLength(text, mode)).toBeGreaterThanOrEqual(maxCodePoints - 1);
      expect(parsedLength(text, mode)).toBeLessThanOrEqual(maxCodePoints);
      expect(problems(text, mode)).toEqual([]);
    });

    test.each([
      ['letters', 'a', 1],
      ['letters of two bytes', 'é', 1],
      ['emoji', '😀', 1],
      ['flags of two code points', '🇦🇶', 2],
      ['emoji of seven code points', '👨‍👩‍👧‍👦', 7],
      ['letters and spaces that do not break', '\u00A0a', 2],
      ['letters and tabulators', '\ta', 2],
      ['letters and control characters', '\u0001a', 2],
    ])('plain text of 4,096 code points, in %s, and of one more: as it counts', (_, unit, size) => {
      const units = unit.repeat((maxCodePoints - 1) / size);
      const text = `x${units}${'y'.repeat(maxCodePoints - 1 - countCodePoints(units))}`;
      expect(length(text)).toBe(maxCodePoints);
      expect(problems(text)).toEqual([]);
      expect(length(`${text}z`)).toBe(maxCodePoints + 1);
      expect(problems(`${text}z`)).toEqual([expect.stringMatching(/^has 4097 characters/)]);
    });

    test('whatever stands within and around: what it counts as 4,096 or fewer is not refused', () => {
      const odd = fc.constantFrom(
        ...' \n\r\t\0\u001F\u00A0\u200B\u3000\uFEFF\x7F\x85\u030A\u0333\u033F\u2028\u202Eé😀',
      );
      const some = fc.string({ unit: odd, maxLength: 12 });
      const around = fc.tuple(some, some, some, fc.integer({ min: 4070, max: 4097 }));
      fc.assert(
        fc.property(around, ([before, within, after, count]) => {
          const text = `${before}a${within}${'b'.repeat(count - 1)}${after}`;
          if (length(text) <= maxCodePoints) expect(problems(text)).toEqual([]);
        }),
        { numRuns: runs(2000) },
      );
    });

    test.each(['\u030A', '\u0333', '\u033F', '\u2028', '\u2029', '\u202A', '\u202E'])(
      '%j, which it takes out: not counted',
      (mark) => {
        const text = `a${mark}`.repeat(maxCodePoints);
        expect(length(text)).toBe(maxCodePoints);
        expect(problems(text)).toEqual([]);
      },
    );

    test.each(['\x7F', '\x85', '\x9F'])('%j alone, which it leaves: not refused', (text) => {
      expect(sent(text)).toBe(text);
      expect(problems(text)).toEqual([]);
    });

    test.each(['', ' ', ' \n\t', '\r\n', '\u0001\u0002'])(
      '%j, of which it leaves nothing: refused',
      (text) => {
        expect(sent(text)).toBe('');
        for (const mode of [undefined, ...parseModes]) expect(problems(text, mode)).toHaveLength(1);
      },
    );

    test('half of an emoji, which it cannot read: refused', () => {
      for (const mode of parseModes) {
        expect(parse('hi \uD83D', mode)).toMatchObject({ sentence: 'Text must be encoded in UTF-8' });
        expect(problems('hi \uD83D', mode)).toHaveLength(1);
      }
    });
  });

  describe(`TDLib ${version}: entity errors`, () => {
    const isRequest = (sentence: string): void => {
      expect(sentence).toMatch(/^Can't parse entities: /);
      const words = expect.stringMatching(/^Bad Request: can't parse entities: /);
      const rejection = { kind: 'request', code: 400, description: words };
      expect(answered(400, refusal(400, description(sentence)))).toEqual({ kind: 'rejected', rejection });
    };

    test.each<[ParseMode, string, RegExp]>([
      ['HTML', '<b>hi', /Can't find end tag corresponding to start tag "b"/],
      ['HTML', '<b>hi</i>', /Unmatched end tag at byte offset 5, expected "<\/b>", found "<\/i>"/],
      ['HTML', 'hi</b>', /Unexpected end tag at byte offset 2/],
      ['HTML', 'a < b', /Unsupported start tag "" at byte offset 2/],
      ['HTML', '<b', /Unclosed start tag at byte offset 0/],
      ['HTML', '<span class="x">hi</span>', /Tag "span" must have class "tg-spoiler"/],
      ['HTML', '<tg-emoji emoji-id="x">a</tg-emoji>', /Invalid custom emoji identifier specified/],
      ['HTML', '<b>hi</blocked>', /expected "<\/b>", found "<\/blocked>"/],
      ['HTML', '<administrator rights>', /Unsupported start tag "administrator"/],
      ['MarkdownV2', 'Hi.', /Character '\.' is reserved and must be escaped with the preceding '\\'/],
      ['MarkdownV2', '*hi', /Can't find end of Bold entity at byte offset 0/],
      ['MarkdownV2', '`hi', /Can't find end of Code entity at byte offset 0/],
      ['MarkdownV2', '[hi](http://a', /Can't find end of a URL at byte offset/],
      ['Markdown', 'snake_case', /Can't find end of the entity starting at byte offset 5/],
      ['Markdown', '[hi', /Can't find end of the entity starting at byte offset 0/],
    ])('%s %j: its sentence is a refusal of kind request', (mode, text, words) => {
      expect(problems(text, mode)).toEqual([]);
      const parsing = parse(text, mode);
      if (parsing.kind !== 'error') expect.fail(`was parsed to ${JSON.stringify(parsing.text)}`);
      expect(parsing.sentence).toMatch(words);
      isRequest(parsing.sentence);
    });

    test('any text with marks: parsed and not refused, or its sentence is a refusal of kind request', () => {
      const html = '<b> </b> <i> </i> <a href=" "> </a> < > " & &amp; &#x1F600;';
      const markdown = '* _ __ ~ | || ` ``` [ ] ( ) . ! \\';
      const units = `${html} ${markdown} 😀 a \n`.split(' ');
      const texts = fc.string({ unit: fc.constantFrom(...units, ' '), minLength: 1, maxLength: 25 });
      const seen = { parsed: 0, refused: 0 };
      fc.assert(
        fc.property(texts, fc.constantFrom(...parseModes), (drawn, mode) => {
          // TDLib 1.8.65 ends the process at "[é.b]x" in the old Markdown: it cuts the é of the link that it sees there.
          const text = mode === 'Markdown' ? drawn.replaceAll('😀', 'b') : drawn;
          const parsing = parse(text, mode);
          seen[parsing.kind === 'text' ? 'parsed' : 'refused'] += 1;
          if (parsing.kind === 'error') isRequest(parsing.sentence);
          else if (/[^ \n]/.test(parsing.text)) expect(problems(text, mode)).toEqual([]);
        }),
        { numRuns: runs(5000) },
      );
      expect(Math.min(seen.parsed, seen.refused)).toBeGreaterThan(0);
    });
  });
}
