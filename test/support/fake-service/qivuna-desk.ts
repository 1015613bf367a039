import type { FakeBot } from './bot-directory.ts';
import type { RawAnswer } from './delivery.ts';
import type { FloodControl } from './flood-control.ts';
import { isQuestion, makesMessage } from './method-result.ts';
import {
  callRefusal,
  failureAnswer,
  keyRefusal,
  requestForm,
  successAnswer,
  type QivunaCall,
} from './qivuna-answers.ts';
import type { OpenQivunaArrival, QivunaLog } from './qivuna-log.ts';
import type { QivunaStore } from './qivuna-store.ts';

/** What was decided at arrival; a flood's answer is worded when it leaves, so that it counts down truthfully. */
export type Ruled =
  | { readonly kind: 'answer'; readonly answer: RawAnswer }
  /** Carried out: `keep` is called when it has ended, whether or not the sender is there. */
  | { readonly kind: 'ran'; readonly answer: RawAnswer; readonly keep: (atMs: number) => void }
  | { readonly kind: 'flood'; readonly chat: string | null; readonly control: FloodControl };

type RefusedOrKept = Extract<Ruled, { kind: 'answer' }>;

/** Decides over requests that were read, by the bot's rules and the stored answers. */
export class QivunaDesk {
  readonly #store: QivunaStore;
  readonly #log: QivunaLog;

  constructor(store: QivunaStore, log: QivunaLog) {
    this.#store = store;
    this.#log = log;
  }

  /** The usual course: a question, or else the bot's flood control, the key, the checks, and the message is taken. */
  rule(bot: FakeBot, arrival: OpenQivunaArrival): Ruled {
    if (isQuestion(arrival.method ?? ''))
      return { kind: 'answer', answer: successAnswer(callOf(arrival), 0) };
    const ruling = bot.control.judge(arrival.atMs, arrival.chat);
    if (ruling.kind === 'flood') {
      arrival.verdict = 'flood';
      return { kind: 'flood', chat: ruling.chat, control: bot.control };
    }
    return this.carryOut(bot, arrival);
  }

  /** Once for each key: the store is asked before anything is taken. */
  carryOut(bot: FakeBot, arrival: OpenQivunaArrival): Exclude<Ruled, { kind: 'flood' }> {
    const call = callOf(arrival);
    const request = requestForm(call);
    // Ignored there, says the page.
    const key = call.method === 'deleteWebhook' ? null : arrival.idempotencyKey;
    const known = key === null ? null : this.#answerTo(bot, key, request, arrival);
    if (known !== null) return known;
    const refusal = callRefusal(call);
    if (refusal !== null) return refuse(arrival, refusal);
    const answer = successAnswer(call, this.#take(arrival));
    if (key === null) return { kind: 'answer', answer };
    const store = this.#store;
    store.begin(bot.name, key, request);
    return { kind: 'ran', answer, keep: (atMs) => store.keep(bot.name, key, request, answer, atMs) };
  }

  /** What the key alone decides; null where the request is to be carried out. */
  #answerTo(bot: FakeBot, key: string, request: string, arrival: OpenQivunaArrival): RefusedOrKept | null {
    const badKey = keyRefusal(key);
    if (badKey !== null) return refuse(arrival, badKey);
    const found = this.#store.find(bot.name, key, request, arrival.atMs);
    switch (found.kind) {
      case 'nothing':
        return null;
      case 'answer':
        arrival.verdict = 'replayed';
        return { kind: 'answer', answer: found.answer };
      case 'running':
        return refuse(arrival, failureAnswer(409, 'idempotency_in_progress', 'The first request still runs'));
      case 'another_request':
        return refuse(
          arrival,
          failureAnswer(409, 'idempotency_mismatch', 'The key was used for another request'),
        );
    }
  }

  #take(arrival: OpenQivunaArrival): number {
    const { n, atMs, bot, method, chat, text, idempotencyKey } = arrival;
    const log = this.#log;
    const messageId = 500 + log.stored.length + 1;
    arrival.verdict = 'stored';
    if (bot !== null && method !== null && makesMessage(method))
      log.store({ n, atMs, bot, method, chat, text, messageId, idempotencyKey });
    return messageId;
  }
}

export function refuse(arrival: OpenQivunaArrival, answer: RawAnswer): RefusedOrKept {
  arrival.verdict = 'refused';
  return { kind: 'answer', answer };
}

function callOf({ method, params, chat, text }: OpenQivunaArrival): QivunaCall {
  return { method: method ?? '', params, chat, text };
}
