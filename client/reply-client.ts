import type { Client } from '@temporalio/client';
import type { CancelRequest, DecisionRequest } from '../domain/decisions.ts';
import { contractOf } from '../contracts/index.ts';
import { botNameProblem } from '../domain/ids.ts';
import type { ReplyRecord } from '../domain/record.ts';
import type { InputProblem, ReplyInput } from '../domain/reply-input.ts';
import { taskQueue } from '../workflows/names.ts';
import { BulkDecision, type BulkDecisionRequest, startBulkDecision } from './bulk-decision.ts';
import { cancelChat } from './cancel-chat.ts';
import { ChatOrder, type OrderedStart } from './chat-order.ts';
import { ReplyInputError } from './errors.ts';
import { LaneClient } from './lane-client.ts';
import { type ListFilter, type Listed, listReplies } from './list-replies.ts';
import { type ReadReply, describeReply, isOpen, readReply, recordFromStore, resultOf } from './read-reply.ts';
import { type CancelResult, type DecideResult, cancelReply, decideReply } from './reply-acts.ts';
import { type ContractsByBot, type ReplyRequest, contractOfBot, draftReply, sameKey } from './reply-draft.ts';
import { ReplyHandle } from './reply-handle.ts';
import { type ReplyName, readReplyName } from './reply-name.ts';
import { type KeyedReplyRequest, type SendAllOptions, type SendReport, sendAll } from './send-all.ts';
import { type ReviewFilter, reviewsIn } from './reviews.ts';
import { ReplyStarter } from './start-reply.ts';
import { storedInput } from './stored-input.ts';
import { TemporalLink } from './temporal-link.ts';
import { chatBucket } from './text-content.ts';

export interface ReplyClientOptions {
  /** Name of the contract of each bot, where the app knows its bots; by default every bot is one of Telegram's. */
  readonly contracts?: ContractsByBot;
  /**
   * Tells each reply its predecessor among the sends of this process to the same chat, so that they go in the order of the
   * calls. On by default.
   */
  readonly keepOrder?: boolean;
  readonly taskQueue?: string;
  /** After so long without an answer, Temporal counts as unreachable. 5 s by default. */
  readonly callTimeoutMs?: number;
  /** After so long without an answer, no worker counts as up. 5 s by default. */
  readonly workerTimeoutMs?: number;
}

/** Hands replies over, asks how they are, and lets people decide. Safe to share; keep one for each process. */
export class ReplyClient {
  readonly #link: TemporalLink;
  readonly #contracts: ContractsByBot;
  readonly #order: ChatOrder | undefined;
  readonly #starter: ReplyStarter;
  readonly #taskQueue: string;

  constructor(client: Client, options: ReplyClientOptions = {}) {
    const { callTimeoutMs = 5000, workerTimeoutMs = 5000 } = options;
    this.#link = new TemporalLink(client, { callTimeoutMs, workerTimeoutMs });
    this.#contracts = options.contracts;
    this.#order = (options.keepOrder ?? true) ? new ChatOrder({ longestWaitMs: callTimeoutMs }) : undefined;
    this.#taskQueue = options.taskQueue ?? taskQueue;
    this.#starter = new ReplyStarter(this.#link, this.#taskQueue);
  }

  /**
   * Hands one reply over and resolves once Temporal has it durably. The same bot, key and content again gives the same
   * reply (`deduplicated`). Throws a `ReplyInputError` (nothing was started), a `ReplyConflictError` (the key was used for
   * other content), or a `TemporalUnreachableError` (safe to repeat with the same key).
   */
  async send(request: ReplyRequest, name: { readonly key: string }): Promise<ReplyHandle> {
    // Apps in plain JavaScript may leave it out: that is a problem of the field, like any other.
    const key = (name as { readonly key: string } | undefined)?.key as string;
    const draft = draftReply(request, key, this.#contracts);
    if (draft.kind === 'problems') throw new ReplyInputError('The reply was not sent', draft.problems);
    const { reply, chat } = draft;
    if (!this.#order) return (await this.#start(reply)).value;
    return this.#order.next(`${reply.bot}:${chat}`, (after) => {
      const follows = after !== undefined && reply.after === undefined && !sameKey(after, reply.key);
      return this.#start(follows ? { ...reply, after } : reply);
    });
  }

  /** Sends many, whatever becomes of each, and reports on each as it is done. */
  sendAll(
    source: Iterable<KeyedReplyRequest> | AsyncIterable<KeyedReplyRequest>,
    options: SendAllOptions = {},
  ): AsyncGenerator<SendReport, void, undefined> {
    return sendAll((request, key) => this.send(request, { key }), source, options);
  }

  /** What `send` would object to; nothing is started. */
  problems(request: ReplyRequest, { key }: { readonly key: string }): readonly InputProblem[] {
    const draft = draftReply(request, key, this.#contracts);
    return draft.kind === 'problems' ? draft.problems : [];
  }

  /** How a reply is now. Throws a `ReplyNotFoundError`, or a `ReplyLostError` if its workflow was ended by hand. */
  async status(name: string | ReplyName): Promise<ReplyRecord> {
    return (await this.read(name)).reply;
  }

  /** The same, with where it was read from. */
  async read(name: string | ReplyName): Promise<ReadReply> {
    return readReply(this.#link, await describeReply(this.#link, readReplyName(name)));
  }

  /** What a reply says and to whom, and its other input: from the store, so only on request (invariant 8). */
  async input(name: string | ReplyName): Promise<ReplyInput | undefined> {
    return storedInput(this.#link, await describeReply(this.#link, readReplyName(name)));
  }

  /** Replies, the latest started first; each is read anew. */
  list(filter: ListFilter = {}): AsyncGenerator<Listed, void, undefined> {
    return listReplies(this.#link, filter);
  }

  /** Replies under review that match, the oldest review first. */
  reviews(filter: ReviewFilter = {}): Promise<readonly ReplyRecord[]> {
    const { bot } = filter;
    const listed = this.list({
      ...(bot === undefined ? {} : { bot }),
      state: 'review',
      limit: Number.MAX_SAFE_INTEGER,
    });
    return reviewsIn(listed, filter);
  }

  /** Cancels a reply, and says the truth about that (invariant 6). */
  async cancel(name: string | ReplyName, request: CancelRequest): Promise<CancelResult> {
    return cancelReply(this.#link, readReplyName(name), request);
  }

  /** Cancels every open reply to a chat: a person has answered there. */
  cancelChat(
    bot: string,
    chat: string | number,
    request: CancelRequest,
  ): AsyncGenerator<CancelResult, void, undefined> {
    const contract = contractOfBot(this.#contracts, bot);
    const rules = contract === undefined ? undefined : contractOf(contract);
    const bucket = rules && chatBucket(rules, chat);
    const problem = botNameProblem(bot);
    if (problem !== undefined)
      throw new ReplyInputError('Nothing was cancelled', [{ field: 'bot', problem }]);
    if (contract === undefined) {
      throw new ReplyInputError('Nothing was cancelled', [
        { field: 'bot', problem: `"${bot}" is not a configured bot` },
      ]);
    }
    if (bucket === undefined) {
      const words = `"${chat}" is no chat of a ${contract} bot: give the id, or its public @name`;
      throw new ReplyInputError('Nothing was cancelled', [{ field: 'chat', problem: words }]);
    }
    return cancelChat(this.#link, { bot, contract, chat: bucket }, request);
  }

  /** Decides a reply under review. Throws a `ReplyRefusedError` with its state if that is over. */
  async decide(name: string | ReplyName, request: DecisionRequest): Promise<DecideResult> {
    return decideReply(this.#link, readReplyName(name), request);
  }

  /**
   * Decides many replies under review in the same way: those that match now, none that comes later, each with an entry of
   * its own in its record. Resolves once Temporal has the list: a workflow works it off, and goes on whatever becomes of
   * this process. Null where none matches: nothing was started. A `resend` may send each of them a second time.
   */
  async decideAll(
    which: ReviewFilter | readonly ReplyRecord[],
    request: BulkDecisionRequest,
  ): Promise<BulkDecision | null> {
    const reviews = isList(which) ? which : await this.reviews(which);
    return startBulkDecision(this.#link, reviews, request, this.#taskQueue);
  }

  /** A bulk decision that was started before, by its Workflow Ids. */
  bulkDecision(...ids: readonly string[]): BulkDecision {
    return new BulkDecision(this.#link, ids);
  }

  /** The lane of one bot. */
  lane(bot: string): LaneClient {
    const problem = botNameProblem(bot);
    if (problem !== undefined) throw new ReplyInputError('No such lane', [{ field: 'bot', problem }]);
    const isKnownBot = this.#contracts !== undefined && Object.hasOwn(this.#contracts, bot);
    return new LaneClient(this.#link, bot, { isKnownBot });
  }

  async #start(reply: ReplyInput): Promise<OrderedStart<ReplyHandle>> {
    const started = await this.#starter.start(reply);
    if (started.kind === 'accepted') {
      return {
        value: new ReplyHandle(this.#link, reply, { state: 'waiting', deduplicated: false }),
        openKey: reply.key,
      };
    }
    const { found } = started;
    const open = isOpen(found);
    const { state } = open ? await recordFromStore(this.#link, found) : await resultOf(this.#link, found);
    const value = new ReplyHandle(this.#link, reply, { state, deduplicated: true });
    return open ? { value, openKey: reply.key } : { value };
  }
}

function isList(which: ReviewFilter | readonly ReplyRecord[]): which is readonly ReplyRecord[] {
  return Array.isArray(which);
}
