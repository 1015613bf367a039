import { WorkflowExecutionAlreadyStartedError, type WorkflowExecutionDescription } from '@temporalio/client';
import { contentHash, replyName, replyWorkflowId } from '../domain/ids.ts';
import type { ReplyInput } from '../domain/reply-input.ts';
import { memoFields, replyWorkflowType } from '../workflows/names.ts';
import { replyStartOptions } from '../workflows/reply-options.ts';
import { ReplyConflictError } from './errors.ts';
import { storedInput } from './stored-input.ts';
import { type TemporalLink, grpcCode, grpcCodeOf, grpcDetailsOf } from './temporal-link.ts';

export type Started =
  | { readonly kind: 'accepted' }
  /** The same reply was there before; `found` is its latest run. */
  | { readonly kind: 'deduplicated'; readonly found: WorkflowExecutionDescription };

/** Search attributes that a namespace does not know refuse the start; asked again after this time. */
const askAttributesAgainAfterMs = 60_000;

/** Starts replies, each at most once (invariant 1). */
export class ReplyStarter {
  readonly #link: TemporalLink;
  readonly #taskQueue: string;
  #noAttributesUntilMs = 0;

  constructor(link: TemporalLink, taskQueue: string) {
    this.#link = link;
    this.#taskQueue = taskQueue;
  }

  /** Resolves once Temporal has the reply durably. Throws a `ReplyConflictError` if its key says something else. */
  async start(reply: ReplyInput): Promise<Started> {
    try {
      await this.#startOnce(reply);
      return { kind: 'accepted' };
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw this.#link.translated(error);
    }
    const { workflow } = this.#link.client;
    const found = await this.#link.call(() => workflow.getHandle(replyWorkflowId(reply)).describe());
    const hash = found.type === replyWorkflowType ? await this.#hashOf(found) : undefined;
    if (hash !== contentHash(reply.content)) {
      throw new ReplyConflictError(
        `the key of ${replyName(reply)} was used before for other content: that reply stays as it is; a new intention needs a new key`,
      );
    }
    return { kind: 'deduplicated', found };
  }

  async #startOnce(reply: ReplyInput): Promise<void> {
    const attributes = performance.now() >= this.#noAttributesUntilMs;
    try {
      await this.#startWith(reply, attributes);
    } catch (error) {
      const unknown =
        grpcCodeOf(error) === grpcCode.invalidArgument && /search attribute/i.test(grpcDetailsOf(error));
      if (!attributes || !unknown) throw error;
      this.#noAttributesUntilMs = performance.now() + askAttributesAgainAfterMs;
      await this.#startWith(reply, false);
    }
  }

  async #startWith(reply: ReplyInput, attributes: boolean): Promise<void> {
    const options = replyStartOptions(reply, { taskQueue: this.#taskQueue, attributes });
    const { client, callTimeoutMs } = this.#link;
    await client.withDeadline(Date.now() + callTimeoutMs, () =>
      client.workflow.start(replyWorkflowType, options),
    );
  }

  /** A reply that was started by other means may have no memo: its own input tells. */
  async #hashOf(found: WorkflowExecutionDescription): Promise<string | undefined> {
    const hash = found.memo?.[memoFields.contentHash];
    if (typeof hash === 'string') return hash;
    const input = await storedInput(this.#link, found);
    return input && contentHash(input.content);
  }
}
