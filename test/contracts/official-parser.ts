import { createRequire } from 'node:module';

/** Telegram's own parser (TDLib), called in this process and without a network: the Bot API server parses with it too. */

export type ParseMode = 'HTML' | 'MarkdownV2' | 'Markdown';

export type Parsing =
  /** The text without its marks. */
  | { readonly kind: 'text'; readonly text: string }
  /** TDLib's sentence, which the Bot API server passes on in its description. */
  | { readonly kind: 'error'; readonly sentence: string };

export interface OfficialParser {
  /** Of TDLib. */
  readonly version: string;
  readonly parse: (text: string, mode: ParseMode) => Parsing;
  /** The text as TDLib hands it on to the servers, which count it; of plain text without any Markdown in it. */
  readonly sent: (text: string) => string;
}

interface Answer {
  readonly _: string;
  readonly text?: string;
  readonly message?: string;
  readonly value?: string;
}

interface Tdl {
  configure(settings: { readonly tdjson: string; readonly verbosityLevel: number }): void;
  execute(request: object): Answer;
}

interface PrebuiltTdlib {
  readonly getTdjson: () => string;
}

const modes: Readonly<Record<ParseMode, object>> = {
  HTML: { _: 'textParseModeHTML' },
  MarkdownV2: { _: 'textParseModeMarkdown', version: 2 },
  Markdown: { _: 'textParseModeMarkdown', version: 1 },
};

/** Where the library must be: the platform of continuous integration. Elsewhere npm may have none to install. */
export const isRequired = process.platform === 'linux' && process.arch === 'x64' && hasGlibc();

/** The parser, or why the library cannot be loaded. */
export function loadOfficialParser(): OfficialParser | Error {
  try {
    return officialParser(loadTdlib());
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function loadTdlib(): Tdl {
  const require = createRequire(import.meta.url);
  // Without the package's types: they are 1.7 MB, and optional as the library is.
  const tdl = require('tdl') as Tdl;
  const { getTdjson } = require('prebuilt-tdlib') as PrebuiltTdlib;
  tdl.configure({ tdjson: getTdjson(), verbosityLevel: 0 });
  return tdl;
}

function officialParser(tdl: Tdl): OfficialParser {
  const textOf = (answer: Answer): string => {
    if (answer.text === undefined) throw new Error(`TDLib answered ${answer.message ?? answer._}`);
    return answer.text;
  };
  return {
    version: tdl.execute({ _: 'getOption', name: 'version' }).value ?? 'unknown',
    parse: (text, mode) => {
      const answer = tdl.execute({ _: 'parseTextEntities', text, parse_mode: modes[mode] });
      if (answer._ === 'error') return { kind: 'error', sentence: answer.message ?? '' };
      return { kind: 'text', text: textOf(answer) };
    },
    sent: (text) => {
      // No other call that needs no account cleans a text. It leaves the ends; before sending, TDLib trims these two.
      const formatted = { _: 'formattedText', text, entities: [] };
      return trim(textOf(tdl.execute({ _: 'parseMarkdown', text: formatted })));
    },
  };
}

function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && ' \n'.includes(text.charAt(start))) start += 1;
  while (end > start && ' \n'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function hasGlibc(): boolean {
  const report = process.report.getReport() as { readonly header: object };
  return 'glibcVersionRuntime' in report.header;
}
