import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** A bot's configured name: short, and safe in ids, search attributes and file names. */
export const botNamePattern = /^[a-z0-9-]{1,32}$/;
const plainKeyPattern = /^[\x21-\x7e]{1,200}$/;
/** Longest key that is accepted at all; longer ones are a mistake of the caller. */
export const maxKeyLength = 2000;

/** What is wrong with a bot's name, or undefined. */
export function botNameProblem(bot: unknown): string | undefined {
  if (typeof bot === 'string' && botNamePattern.test(bot)) return undefined;
  return 'must be 1 to 32 of a-z, 0-9 and "-": use the name of a configured bot';
}

/** What is wrong with a key, or undefined. Keys of other forms than plain ones are hashed, not refused. */
export function keyProblem(key: unknown): string | undefined {
  if (typeof key !== 'string' || key.length === 0) {
    return 'must be a text of at least one character that names the intention, for example "upd-1044-reply"';
  }
  if (key.length > maxKeyLength) return `must have at most ${maxKeyLength} characters, but has ${key.length}`;
  if (!key.isWellFormed()) return 'must be well-formed Unicode: it holds half of a surrogate pair';
  return undefined;
}

/**
 * The form of a key that stands in ids: itself where it is 1 to 200 printable ASCII characters without spaces, else
 * `sha256-` and the hex SHA-256 of its UTF-8 bytes. The same everywhere: client, workflow, command line.
 */
export function plainKey(key: string): string {
  return plainKeyPattern.test(key) ? key : `sha256-${bytesToHex(sha256(utf8ToBytes(key)))}`;
}

/** Workflow Id of a reply: bot and key decide it (invariant 1). Fits the 255 characters of the sample server settings. */
export function replyWorkflowId(reply: { readonly bot: string; readonly key: string }): string {
  return `reply:${reply.bot}:${plainKey(reply.key)}`;
}

/**
 * Workflow Id for what an app starts on an update. Services count updates for each bot alone, so the bot stands in it; no
 * id of a reply or a lane has this form.
 */
export function updateWorkflowId(update: { readonly bot: string; readonly id: string }): string {
  return `update:${update.bot}:${plainKey(update.id)}`;
}

/** Workflow Id of the cooldown workflow that keeps a bot's lane. */
export function cooldownWorkflowId(bot: string): string {
  return `cooldown:${bot}`;
}

const bulkDecisionIdPattern = /^bulk-decision:[\w-]{1,80}$/;

/** Workflow Id of a bulk decision; `unique` is for its starter to choose. */
export function bulkDecisionWorkflowId(unique: string): string {
  return `bulk-decision:${unique}`;
}

export function isBulkDecisionId(workflowId: string): boolean {
  return bulkDecisionIdPattern.test(workflowId);
}

/** The name of a reply that people type: `<bot>/<key>`. */
export function replyName(reply: { readonly bot: string; readonly key: string }): string {
  return `${reply.bot}/${reply.key}`;
}

/** Splits `<bot>/<key>`; the key may hold slashes itself. Undefined where it is not of that form. */
export function parseReplyName(name: string): { bot: string; key: string } | undefined {
  const slash = name.indexOf('/');
  if (slash < 0) return undefined;
  const bot = name.slice(0, slash);
  const key = name.slice(slash + 1);
  return botNameProblem(bot) || keyProblem(key) ? undefined : { bot, key };
}

/** Bot and plain form of the key, where the Workflow Id is one that `replyWorkflowId` gives; else undefined. */
export function parseReplyWorkflowId(workflowId: string): { bot: string; key: string } | undefined {
  const [, bot, key] = /^reply:([^:]*):(.*)$/s.exec(workflowId) ?? [];
  if (bot === undefined || key === undefined) return undefined;
  return botNameProblem(bot) || !plainKeyPattern.test(key) ? undefined : { bot, key };
}

/** The bot of a lane's Workflow Id; undefined for any other id. */
export function parseCooldownWorkflowId(workflowId: string): string | undefined {
  const [, bot] = /^cooldown:(.*)$/s.exec(workflowId) ?? [];
  return bot === undefined || botNameProblem(bot) ? undefined : bot;
}

/** A few characters that stand for a text in the lane's memory, where each byte is held ten thousand times over. */
export function shortHash(text: string, length: 6 | 12): string {
  const bytes = sha256(utf8ToBytes(text));
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  let hash = '';
  for (let i = 0; i < length; i++) hash += alphabet[(bytes[i] ?? 0) & 63];
  return hash;
}

/**
 * Hex SHA-256 of what a reply says and to whom: method and parameters as JSON carries them, with the names of parameters
 * in order, so that two spellings of the same object are the same content (invariant 1). The expiry does not count.
 */
export function contentHash(content: { readonly method: string; readonly params: unknown }): string {
  const { method, params } = content;
  const carried: unknown = JSON.parse(JSON.stringify({ method, params }));
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(carried))));
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** Names one attempt to a service that takes an id for tracing: `<bot>/<key>/<attempt>`, its key hashed where need be. */
export function attemptTrace(bot: string, key: string, attempt: number): string {
  const plain = `${bot}/${key}/${attempt}`;
  return /^[A-Za-z0-9_.:/-]{1,128}$/.test(plain)
    ? plain
    : `${bot}/${bytesToHex(sha256(utf8ToBytes(key)))}/${attempt}`;
}
