import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { ContractsByBot, KeyedReplyRequest } from '../client/index.ts';
import { draftReply } from '../client/reply-draft.ts';
import { readJson } from '../config/json-text.ts';
import { contentHash, replyWorkflowId } from '../domain/ids.ts';
import { UsageError } from './exit-code.ts';

/** One line of a file of replies, checked. */
export interface FileLine {
  readonly line: number;
  readonly request: KeyedReplyRequest;
}

const maxProblemsShown = 20;

/** Reads a file of JSON lines, or stdin for `-`. */
export async function readRepliesText(path: string): Promise<string> {
  if (path === '-') return utf8Text(await buffer(process.stdin), 'stdin');
  return utf8Text(await readBytes(path), path);
}

/** Bytes that are no text would be changed in silence. */
function utf8Text(bytes: Buffer, path: string): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let line = 1;
  for (let from = 0; from < bytes.length; line++) {
    const end = bytes.indexOf('\n', from);
    const to = end < 0 ? bytes.length : end;
    if (!isUtf8(bytes.subarray(from, to))) break;
    from = to + 1;
  }
  throw new UsageError(`nothing was sent: line ${line} of ${path} is not UTF-8: save the file as UTF-8`);
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new UsageError(
      `${path} cannot be read (${code}): name a file with one JSON object on each line, or - for stdin`,
    );
  }
}

/**
 * Checks every line before anything is sent, so that nothing is half sent because of a mistake in the file. Throws a
 * `UsageError` that names the lines.
 */
export function checkedLines(content: string, contracts: ContractsByBot): readonly FileLine[] {
  const lines: FileLine[] = [];
  const problems: string[] = [];
  const firstUse = new Map<string, { readonly line: number; readonly hash: string }>();
  content
    .replace(/^\uFEFF/, '')
    .split('\n')
    .forEach((text, index) => {
      if (text.trim() === '') return;
      const line = index + 1;
      const reading = readLine(text, contracts);
      if (reading.kind === 'problems') {
        problems.push(...reading.problems.map((problem) => `line ${line}: ${problem}`));
        return;
      }
      const { request, hash } = reading;
      const id = replyWorkflowId(request);
      const first = firstUse.get(id);
      if (first && first.hash !== hash) {
        problems.push(
          `line ${line}: key: is used for other content on line ${first.line}: a new intention needs a new key`,
        );
      }
      if (!first) firstUse.set(id, { line, hash });
      lines.push({ line, request });
    });
  if (problems.length > 0) throw new UsageError(`nothing was sent: ${listed(problems)}`);
  return lines;
}

type LineReading =
  | { readonly kind: 'request'; readonly request: KeyedReplyRequest; readonly hash: string }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

function readLine(text: string, contracts: ContractsByBot): LineReading {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser's words would repeat the text.
    const [, position] = /position (\d+)/.exec(error instanceof Error ? error.message : '') ?? [];
    const where = position === undefined ? '' : ` (at character ${Number(position) + 1})`;
    return { kind: 'problems', problems: [`is not valid JSON${where}: give one object on each line`] };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'problems', problems: ['must be an object { "bot", "key", "chat", "text", … }'] };
  }
  const twice = duplicateFields(text);
  if (twice.length > 0)
    return { kind: 'problems', problems: twice.map((field) => `${field}: is given twice: keep one of them`) };
  const { key, ...request } = value as KeyedReplyRequest;
  const draft = draftReply(request as KeyedReplyRequest, key, contracts);
  if (draft.kind === 'problems') {
    return { kind: 'problems', problems: draft.problems.map(({ field, problem }) => `${field}: ${problem}`) };
  }
  return { kind: 'request', request: value as KeyedReplyRequest, hash: contentHash(draft.reply.content) };
}

function duplicateFields(text: string): readonly string[] {
  const reading = readJson(text);
  return reading.kind === 'value' ? reading.duplicates.map((path) => path.map(String).join('.')) : [];
}

function listed(problems: readonly string[]): string {
  const more = problems.length - maxProblemsShown;
  const shown = problems.slice(0, maxProblemsShown).map((problem) => `\n  ${problem}`);
  return `${problems.length === 1 ? 'a problem' : `${problems.length} problems`} in the file${shown.join('')}${
    more > 0 ? `\n  and ${more} more` : ''
  }`;
}
