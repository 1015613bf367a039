import { type Content, contractOf } from '../contracts/index.ts';

/** The service's own names for a plain text to a chat. */
interface TextForm {
  readonly method: string;
  readonly chatField: string;
  readonly textField: string;
}

const textForms: ReadonlyMap<string, TextForm> = new Map([
  ['telegram', { method: 'sendMessage', chatField: 'chat_id', textField: 'text' }],
]);

/** Whether a bot of this contract takes `chat` and `text` in place of `content`. */
export function takesText(contractName: string): boolean {
  return textForms.has(contractName);
}

/**
 * The content that says `text` in `chat`. Every spelling of one chat gives the same content, so that "123" from a command
 * line and 123 from a file are one intention (invariant 1).
 */
export function textContent(contractName: string, chat: unknown, text: unknown): Content {
  const form = textForms.get(contractName);
  const contract = contractOf(contractName);
  if (!form || !contract) throw new Error(`no text form for the contract "${contractName}"`);
  const params = {
    ...(chat === undefined ? {} : { [form.chatField]: chat }),
    ...(text === undefined ? {} : { [form.textField]: text }),
  };
  const content = { method: form.method, params };
  if (contract.check(content).length > 0) return content;
  return contract.readdress(content, contract.destination(content).chat);
}

/** Bucket of a chat as the lane knows it, or undefined where it is no chat of the service. */
export function chatBucket(contractName: string, chat: unknown): string | undefined {
  const form = textForms.get(contractName);
  const contract = contractOf(contractName);
  if (!form || !contract) return undefined;
  const content = { method: form.method, params: { [form.chatField]: chat, [form.textField]: 'x' } };
  return contract.check(content).length > 0 ? undefined : contract.destination(content).chat;
}

/** The caller's name of a content's field, for problems of what was given as chat and text. */
export function textFieldName(contractName: string, field: string): string {
  const form = textForms.get(contractName);
  if (field === `params.${form?.chatField}`) return 'chat';
  if (field === `params.${form?.textField}`) return 'text';
  return field;
}
