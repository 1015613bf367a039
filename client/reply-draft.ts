import { type Content, type Contract, contractNames, contractOf } from '../contracts/index.ts';
import { plainKey } from '../domain/ids.ts';
import type { ReplyClass } from '../domain/lane/messages.ts';
import { type InputProblem, type ReplyInput, replyInputProblems } from '../domain/reply-input.ts';
import { textContent } from './text-content.ts';

/** One reply, as an app hands it over: a text to a chat, or the service's own content. */
export type ReplyRequest = {
  readonly bot: string;
  /** Key of the reply after which this one goes, in the same chat. The client fills it in for sends of one process. */
  readonly after?: string | undefined;
  /** Not sent at or after this instant. */
  readonly expiresAt?: string | Date | undefined;
  readonly class?: ReplyClass | undefined;
  readonly reviewIfDelayedOverMs?: number | undefined;
} & (
  | { readonly chat: string | number; readonly text: string; readonly content?: undefined }
  | { readonly content: Content; readonly chat?: undefined; readonly text?: undefined }
);

/** Name of the contract of each bot. Undefined: every bot is one of Telegram's. */
export type ContractsByBot = Readonly<Record<string, string>> | undefined;

export type ReplyDraft =
  /** Ready to start. `chat` is the bucket that the lane paces and orders by. */
  | { readonly kind: 'reply'; readonly reply: ReplyInput; readonly chat: string }
  | { readonly kind: 'problems'; readonly problems: readonly InputProblem[] };

/** Histories hold the content once for each attempt: far more than any service takes in one reply. */
const maxContentBytes = 256 * 1024;

/** Checks a reply before anything is started: its shape, its content by the rules of the bot's service, its size. */
export function draftReply(request: ReplyRequest, key: string, contracts: ContractsByBot): ReplyDraft {
  const problems = (list: readonly InputProblem[]): ReplyDraft => ({ kind: 'problems', problems: list });
  if (typeof request !== 'object' || request === null) {
    return problems([{ field: 'reply', problem: 'must be an object { bot, chat, text, … }' }]);
  }
  const given = withoutUndefined(request);
  const { chat, text, content, expiresAt, key: ownKey, ...rest } = given;
  const bot = typeof given['bot'] === 'string' ? given['bot'] : '';
  const contractName = contractOfBot(contracts, bot);
  if (contractName === undefined) {
    const names = Object.keys(contracts ?? {}).join(', ') || 'none';
    return problems([{ field: 'bot', problem: `"${bot}" is not a configured bot: use one of ${names}` }]);
  }
  const contract = contractOf(contractName);
  if (!contract) {
    const known = contractNames.join(', ');
    return problems([
      { field: 'bot', problem: `has the contract "${contractName}", which is none of ${known}` },
    ]);
  }
  if (ownKey !== undefined && ownKey !== key) {
    return problems([{ field: 'key', problem: 'is given twice, and differs: give it once' }]);
  }
  const isText = content === undefined;
  if (!isText && (chat !== undefined || text !== undefined)) {
    return problems([{ field: 'content', problem: 'give either content, or chat and text' }]);
  }
  const reply = {
    ...rest,
    bot: given['bot'],
    key,
    content: isText ? textContent(contract, chat, text) : content,
    ...(expiresAt === undefined
      ? {}
      : { expiresAt: expiresAt instanceof Date ? isoOf(expiresAt) : expiresAt }),
  } as unknown as ReplyInput;
  const shape = replyInputProblems(reply);
  const shapeless = shape.some(({ field }) => field === 'content');
  const found = [...shape, ...(shapeless ? [] : contentProblems(contract, reply.content, isText))];
  if (found.length > 0) return problems(found);
  return { kind: 'reply', reply, chat: contract.destination(reply.content).chat };
}

/** Whether two keys name the same reply. */
export function sameKey(a: string, b: string): boolean {
  return plainKey(a) === plainKey(b);
}

/** Name of the bot's contract; undefined where the bots are known and it is none of them. */
export function contractOfBot(contracts: ContractsByBot, bot: string): string | undefined {
  if (contracts === undefined) return 'telegram';
  return Object.hasOwn(contracts, bot) ? contracts[bot] : undefined;
}

function contentProblems(contract: Contract, content: Content, isText: boolean): readonly InputProblem[] {
  const problems = contract.check(content);
  if (problems.length > 0) {
    return problems.map(({ field, problem }) => ({
      field: isText ? contract.text.fieldName(field) : `content.${field}`,
      problem,
    }));
  }
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes <= maxContentBytes) return [];
  return [
    { field: 'content', problem: `has ${bytes} bytes as JSON, but may have at most ${maxContentBytes}` },
  ];
}

function withoutUndefined(request: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined));
}

/** An invalid date has no text; the empty one is refused by the checks that follow. */
function isoOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
