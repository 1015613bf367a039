/** Telegram's chat ids: numbers of at most 52 bits, the same as digits, or public names. */

const maxChatId = 2 ** 52;
const digits = /^-?[1-9][0-9]{0,15}$/;
// Names that are sold are as short as four characters.
const publicName = /^@[A-Za-z][A-Za-z0-9_]{3,31}$/;

export type ChatIdReading =
  /** `chat` is the bucket: exact digits, or a lower-case `@name`. */
  { readonly kind: 'chat'; readonly chat: string } | { readonly kind: 'problem'; readonly problem: string };

/** Reads a `chat_id`; every accepted spelling of one id gives the same bucket. */
export function readChatId(value: unknown): ChatIdReading {
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value === 'string') return fromText(value);
  const problem =
    value === undefined
      ? 'is missing: give the id of the chat, or its public @name'
      : 'must be a number, a string of digits, or a public @name';
  return { kind: 'problem', problem };
}

function fromNumber(value: number): ChatIdReading {
  if (isChatId(value)) return { kind: 'chat', chat: String(value) };
  const problem = 'must be a whole number other than 0, of at most 52 bits: give the id as Telegram gave it';
  return { kind: 'problem', problem };
}

function fromText(value: string): ChatIdReading {
  if (publicName.test(value)) return { kind: 'chat', chat: value.toLowerCase() };
  if (digits.test(value) && isChatId(Number(value))) return { kind: 'chat', chat: value };
  return {
    kind: 'problem',
    problem:
      'must be digits of at most 52 bits without leading zeros or spaces, or a public name such as @channel',
  };
}

/** Whether a number can be the id of a chat. */
export function isChatId(value: unknown): value is number {
  return Number.isSafeInteger(value) && value !== 0 && Math.abs(value as number) <= maxChatId;
}
