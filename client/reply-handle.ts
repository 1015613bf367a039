import type { CancelRequest } from '../domain/decisions.ts';
import { replyName, replyWorkflowId } from '../domain/ids.ts';
import type { ReplyRecord, ReplyStateName } from '../domain/record.ts';
import { type ResultOptions, awaitReply } from './await-reply.ts';
import { describeReply, readReply } from './read-reply.ts';
import { type CancelResult, cancelReply } from './reply-acts.ts';
import type { ReplyName } from './reply-name.ts';
import type { TemporalLink } from './temporal-link.ts';

/** One reply that Temporal has. */
export class ReplyHandle {
  readonly bot: string;
  readonly key: string;
  /** `<bot>/<key>`: what people type. */
  readonly id: string;
  readonly workflowId: string;
  /** When it was sent or found; `status()` tells how it is now. */
  readonly state: ReplyStateName;
  /** The same reply was there before: this send has made none. */
  readonly deduplicated: boolean;
  readonly #link: TemporalLink;

  constructor(
    link: TemporalLink,
    name: ReplyName,
    seen: { readonly state: ReplyStateName; readonly deduplicated: boolean },
  ) {
    this.#link = link;
    this.bot = name.bot;
    this.key = name.key;
    this.id = replyName(name);
    this.workflowId = replyWorkflowId(name);
    this.state = seen.state;
    this.deduplicated = seen.deduplicated;
  }

  /**
   * The record once the reply has ended or is under review; when the time is up, the record as it is then. `state` tells
   * which: an outcome that nobody can know is a review, not an exception.
   */
  result(options: ResultOptions = {}): Promise<ReplyRecord> {
    return awaitReply(this.#link, this, options);
  }

  /** How the reply is now. */
  async status(): Promise<ReplyRecord> {
    return (await readReply(this.#link, await describeReply(this.#link, this))).reply;
  }

  /** Cancels it, and says the truth about that. */
  cancel(request: CancelRequest): Promise<CancelResult> {
    return cancelReply(this.#link, this, request);
  }
}
