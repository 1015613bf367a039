/**
 * What the contract knows about single methods. Names are compared in lower case, as the service does, so that another
 * spelling never escapes a rule.
 */

const name = /^[A-Za-z]{1,64}$/;

export function isMethodName(value: unknown): value is string {
  return typeof value === 'string' && name.test(value);
}

export function isSendMessage(method: string): boolean {
  return method.toLowerCase() === 'sendmessage';
}

/** Whether the method only reads (`getMe`, `getUpdates`, …). */
export function isReadOnly(method: string): boolean {
  return method.toLowerCase().startsWith('get');
}

/** What a method gives back on success; `anything` where the contract has no knowledge of it. */
export type ResultKind = 'message' | 'messages' | 'anything';

const messageMethods: ReadonlySet<string> = new Set([
  'sendmessage',
  'sendphoto',
  'sendaudio',
  'senddocument',
  'sendvideo',
  'sendanimation',
  'sendvoice',
  'sendvideonote',
  'sendpaidmedia',
  'sendlocation',
  'sendvenue',
  'sendcontact',
  'sendpoll',
  'senddice',
  'sendsticker',
  'sendinvoice',
  'sendgame',
  'sendchecklist',
  'forwardmessage',
  'copymessage',
]);
const messagesMethods: ReadonlySet<string> = new Set(['sendmediagroup', 'forwardmessages', 'copymessages']);

/** What counts as proof that the method was carried out. */
export function resultKind(method: string): ResultKind {
  const lower = method.toLowerCase();
  if (messageMethods.has(lower)) return 'message';
  return messagesMethods.has(lower) ? 'messages' : 'anything';
}

/** The parameter that lists what one call sends, for the methods that send several messages at once. */
export function batchField(method: string): 'media' | 'message_ids' | null {
  switch (method.toLowerCase()) {
    case 'sendmediagroup':
      return 'media';
    case 'forwardmessages':
    case 'copymessages':
      return 'message_ids';
    default:
      return null;
  }
}
