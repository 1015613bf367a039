/** Qivuna's chat ids: whole numbers as large as 2^52 and over, so that they are kept as digits. */

// One spelling for each id, and one that JSON takes as a number: no leading zeros, no plus, no minus zero.
const digits = /^(?:0|-?[1-9][0-9]{0,18})$/;

export type ChatIdReading =
  /** `chat` is the bucket: exact digits. */
  { readonly kind: 'chat'; readonly chat: string } | { readonly kind: 'problem'; readonly problem: string };

/** Reads a `chat_id`; a number and the same digits as text give the same bucket. */
export function readChatId(value: unknown): ChatIdReading {
  // Not in exponent form: safe integers have at most 16 digits.
  if (Number.isSafeInteger(value)) return { kind: 'chat', chat: String(value) };
  if (typeof value === 'string' && digits.test(value)) return { kind: 'chat', chat: value };
  return { kind: 'problem', problem: problemOf(value) };
}

function problemOf(value: unknown): string {
  if (value === undefined) return 'is missing: give the id of the chat';
  if (typeof value === 'string')
    return 'must be 1 to 19 digits without leading zeros or spaces: give the id as Qivuna gave it';
  if (typeof value === 'number')
    return 'must be a whole number that is exact: give a longer id as a string of digits';
  return 'must be a whole number, or a string of digits';
}
