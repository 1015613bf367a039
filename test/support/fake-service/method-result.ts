/** What the service's methods return on success, as JSON text: ids keep their digits. */

export interface MethodCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly chat: string | null;
  readonly text: string | null;
}

export interface Sender {
  readonly id: number;
  readonly name: string;
}

/** A question: takes no slot, stores nothing. */
export function isQuestion(method: string): boolean {
  return method.startsWith('get');
}

/** A method that leaves a message in the chat. */
export function makesMessage(method: string): boolean {
  return /^(send|forward|copy)/.test(method) && method !== 'sendChatAction';
}

/** Description of the service's refusal; null when the call is acceptable. */
export function refusal(call: MethodCall): string | null {
  if (!makesMessage(call.method)) return null;
  if (call.chat === null || call.chat === '') return 'Bad Request: chat_id is empty';
  if (!/^(-?\d+|@\w+)$/.test(call.chat)) return 'Bad Request: chat not found';
  if (call.method !== 'sendMessage') return null;
  const text = call.text?.trim() ?? '';
  if (text === '') return 'Bad Request: message text is empty';
  return [...text].length > 4096 ? 'Bad Request: message is too long' : null;
}

/** The whole successful answer. */
export function successBody(call: MethodCall, sender: Sender, messageId: number): string {
  return `{"ok":true,"result":${result(call, sender, messageId)}}`;
}

function result(call: MethodCall, sender: Sender, messageId: number): string {
  const { method } = call;
  if (method === 'getMe') return JSON.stringify(user(sender));
  if (method === 'copyMessage') return JSON.stringify({ message_id: messageId });
  if (method === 'sendMediaGroup') return `[${message(call, sender, messageId)}]`;
  const returnsMessage = makesMessage(method) || method.startsWith('edit');
  return returnsMessage ? message(call, sender, messageId) : 'true';
}

function message(call: MethodCall, sender: Sender, messageId: number): string {
  const body =
    call.method === 'sendMessage' ? { text: call.text ?? '' } : { caption: call.text ?? undefined };
  const rest = { date: Math.floor(Date.now() / 1000), ...body };
  const head = JSON.stringify({ message_id: messageId, from: user(sender) });
  return `${head.slice(0, -1)},"chat":${chatObject(call.chat ?? '0')},${JSON.stringify(rest).slice(1)}`;
}

function chatObject(chat: string): string {
  if (chat.startsWith('@')) {
    return JSON.stringify({
      id: -1001000000001,
      type: 'channel',
      username: chat.slice(1),
      title: chat.slice(1),
    });
  }
  if (!chat.startsWith('-')) return `{"id":${chat},"type":"private","first_name":"Ann"}`;
  const type = chat.startsWith('-100') ? 'supergroup' : 'group';
  return `{"id":${chat},"type":"${type}","title":"Test"}`;
}

function user(sender: Sender): object {
  return { id: sender.id, is_bot: true, first_name: sender.name, username: `${sender.name}_bot` };
}
