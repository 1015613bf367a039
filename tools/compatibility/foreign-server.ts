import { readFileSync } from 'node:fs';
import type { Content } from '../../contracts/contract.ts';
import type { ReplyRecord } from '../../client/index.ts';
import { sourceFile } from './install.ts';

/** A server of Telegram's Bot API that this project did not write. */
export interface ForeignServer {
  readonly name: string;
  readonly registry: 'npm' | 'PyPI';
  readonly version: string;
  /** How it is run here, for the document. */
  readonly how: string;
  readonly apiRoot: string;
  /** What it has received, as it tells by its own API, in its order. */
  readonly received: (tokens: readonly string[]) => Promise<readonly Received[]>;
  readonly stop: () => Promise<void>;
  readonly cases: readonly Case[];
  readonly differences: readonly Difference[];
}

/** One call as the server has kept it. */
export interface Received {
  readonly content: Content;
  /** Null where it does not keep the token. */
  readonly token: string | null;
}

export interface Case {
  readonly key: string;
  /** For the document. */
  readonly what: string;
  /** What is sent; a function where it needs the id of the first message, which is sent before. */
  readonly content: Content | ((firstMessageId: number) => Content);
  /** Sent as the bot whose token nobody has given out. */
  readonly isStranger?: true;
  readonly expected: Expected;
}

export type Expected =
  /** Taken: the server has it exactly once, with every parameter as it was given. */
  | { readonly state: 'sent' }
  /** Refused, for this reason. */
  | { readonly state: 'rejected'; readonly description: string }
  /** Answered so that nobody can know: under review with this evidence. A person looks, and decides so. */
  | { readonly state: 'review'; readonly evidence: RegExp; readonly decision: 'sent' | 'not_sent' };

/** Something that the server does otherwise than the service; `holds` says whether it did so. */
export interface Difference {
  readonly words: string;
  readonly holds: (record: (key: string) => ReplyRecord) => boolean;
}

/** The version that is pinned in a file beside the sources. */
export function pinnedVersion(pattern: RegExp, ...file: readonly string[]): string {
  const version = pattern.exec(readFileSync(sourceFile(...file), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`No version is pinned in ${file.join('/')}.`);
  return version;
}

/** Asks the server's own API. */
export async function askServer(url: string, request: RequestInit): Promise<unknown> {
  const response = await fetch(url, { ...request, signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`${new URL(url).pathname} was answered with HTTP ${response.status}`);
  return response.json();
}
