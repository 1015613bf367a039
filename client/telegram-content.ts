import type { ApiMethods, Opts } from '@grammyjs/types';
import type { Content } from '../contracts/index.ts';

/** Methods of the Bot API that change something; files are given by file id or URL. */
export type TelegramMethod = Exclude<keyof ApiMethods<string>, `get${string}`>;

/**
 * The content of a reply of a Telegram bot, its parameters checked by the compiler against the Bot API's own types. Checked
 * again when it is handed over: what the types do not know, such as lengths, is told then.
 */
export function telegramContent<M extends TelegramMethod>(method: M, params: Opts<string>[M]): Content {
  return { method, params: { ...params } };
}
