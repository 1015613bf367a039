import type { ReplyHandle, ReplyRequest, ReplySender } from '../../client/index.ts';

/** What is needed of grammY's `Context`: its own type fits. */
export interface MessageContext {
  readonly update: { readonly update_id: number };
  readonly chatId?: number | undefined;
}

/** More of a reply than its text, such as `expiresAt` or `class`. */
export type DurableReplyOptions = Omit<ReplyRequest, 'bot' | 'chat' | 'text' | 'content'>;

/** What the middleware adds to a context: `Bot<Context & DurableReplies>`. */
export interface DurableReplies {
  /**
   * Hands a reply to the update's chat over, and resolves once that is durable: it is sent once then, or somebody learns
   * why not. There is no message to give back yet; the handle tells what became of it.
   */
  durableReply(text: string, options?: DurableReplyOptions): Promise<ReplyHandle>;
}

interface Sender extends ReplySender {
  send(request: ReplyRequest, name: { readonly key: string }): Promise<ReplyHandle>;
}

/**
 * Middleware for grammY: `bot.use(durableReplies(replies, 'support'))`. Replies are named after the update and counted in
 * it, so that an update that comes again finds them; it has to make the same replies in the same order for that.
 */
export function durableReplies<C extends MessageContext & DurableReplies>(replies: Sender, bot: string) {
  return async (ctx: C, next: () => Promise<void>): Promise<void> => {
    let count = 0;
    ctx.durableReply = (text, options = {}) => {
      const { chatId, update } = ctx;
      if (chatId === undefined) throw new Error('durableReply: this update has no chat to reply to');
      count += 1;
      const key = `upd-${update.update_id}-reply${count === 1 ? '' : `-${count}`}`;
      return replies.send({ ...options, bot, chat: chatId, text }, { key });
    };
    await next();
  };
}
