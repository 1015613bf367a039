import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { OpenArrival } from './arrival.ts';
import type { BotDirectory, FakeBot } from './bot-directory.ts';
import { deliver, type RawAnswer } from './delivery.ts';
import type { ExchangeLog } from './exchange-log.ts';
import type { FloodControl } from './flood-control.ts';
import type { Front } from './front.ts';
import { isQuestion, makesMessage, refusal, successBody } from './method-result.ts';
import type { OrderedClock } from './ordered-clock.ts';
import { readRequestBody } from './request-body.ts';
import type { ScriptBook } from './script-book.ts';
import { failureBody, type Step } from './steps.ts';

export interface ServiceParts {
  readonly bots: BotDirectory;
  readonly scripts: ScriptBook;
  readonly log: ExchangeLog;
  readonly front: Front;
  readonly clock: OrderedClock;
  /** Ends every pause of the fake. */
  readonly signal: AbortSignal;
}

/** What was decided at arrival; a flood's answer is worded when it leaves, so that it counts down truthfully. */
type Ruled =
  | { readonly kind: 'answer'; readonly answer: RawAnswer }
  | { readonly kind: 'flood'; readonly chat: string | null; readonly control: FloodControl };

type Proceed = Extract<Step, { kind: 'proceed' }>;

const AT_ONCE: Proceed = { kind: 'proceed', holdMs: 0, delivery: { kind: 'whole' } };

/** The course of one request through the fake service. */
export class Service {
  /** True: requests are read and recorded, and none is answered. */
  blackhole = false;
  readonly #parts: ServiceParts;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { bots, clock, front, log, scripts } = this.#parts;
    request.on('error', () => {});
    const { connection, end } = front.beginRequest(request.socket);
    const closed = new Promise<void>((resolve) => void response.once('close', resolve));
    const [, token = '', method = null] = /^\/bot([^/]+)\/(\w+)/.exec(request.url ?? '') ?? [];
    const bot = bots.byToken(token);
    const atMs = await clock.read();
    const early = bot !== null && atMs < bot.control.endsAtMs(null);
    const arrival = log.begin({ atMs, bot: bot?.name ?? null, method, connection, early });
    void closed.then(async () => {
      end();
      log.close(arrival, await clock.read());
    });

    if (bot !== null && scripts.takeAtHead(bot.name)) {
      request.socket.resetAndDestroy();
      return;
    }
    const text = await this.#readBody(request, arrival);
    if (text === null) return;
    if (bot === null || method === null) {
      arrival.verdict = 'refused';
      const problem = bot === null ? failureAnswer(401, 'Unauthorized') : failureAnswer(404, 'Not Found');
      await this.#send(arrival, response, { kind: 'answer', answer: problem }, AT_ONCE);
      return;
    }
    const body = readRequestBody(text);
    arrival.chat = body?.chat ?? null;
    arrival.text = body?.text ?? null;
    arrival.params = body?.params ?? null;
    arrival.early = atMs < bot.control.endsAtMs(arrival.chat);
    log.changed();
    if (this.blackhole) return;
    await this.#play(scripts.takeAtBody(bot.name, arrival.chat) ?? AT_ONCE, bot, arrival, response);
  }

  /** Null when the sender went away in the middle. */
  async #readBody(request: IncomingMessage, arrival: OpenArrival): Promise<string | null> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) {
        chunks.push(chunk as Buffer);
        arrival.bodyBytes += (chunk as Buffer).length;
        arrival.received = 'partial';
        this.#parts.log.changed();
      }
    } catch {
      return null;
    }
    if (!request.complete) return null;
    arrival.received = 'whole';
    this.#parts.log.changed();
    return Buffer.concat(chunks).toString('utf8');
  }

  async #play(step: Step, bot: FakeBot, arrival: OpenArrival, response: ServerResponse): Promise<void> {
    const { control } = bot;
    switch (step.kind) {
      case 'proceed':
        return this.#send(arrival, response, this.#rule(bot, arrival), step);
      case 'answer': {
        if (step.status !== 429) control.take(arrival.atMs, arrival.chat);
        if (step.store) this.#store(arrival);
        else if (step.status === 429) arrival.verdict = 'flood';
        else if (step.status >= 400 && step.status < 500) arrival.verdict = 'refused';
        const body = typeof step.body === 'string' ? step.body : JSON.stringify(step.body);
        const answer = { status: step.status, headers: step.headers, body };
        return this.#send(arrival, response, { kind: 'answer', answer }, step);
      }
      case 'flood': {
        arrival.verdict = 'flood';
        control.penalize(null, arrival.atMs + step.seconds * 1000);
        const how = { ...AT_ONCE, holdMs: step.holdMs };
        return this.#send(arrival, response, { kind: 'flood', chat: null, control }, how);
      }
      case 'silence':
      case 'reset_after_body':
        control.take(arrival.atMs, arrival.chat);
        if (step.store) this.#store(arrival);
        if (step.kind === 'reset_after_body') response.socket?.resetAndDestroy();
        return;
      case 'reset_at_head':
        throw new Error('reset_at_head is played before the body is read');
    }
  }

  /** The usual course: the bot's flood control, then the service's checks, then the message is taken. */
  #rule(bot: FakeBot, arrival: OpenArrival): Ruled {
    const call = { ...arrival, method: arrival.method ?? '', params: arrival.params ?? {} };
    if (!isQuestion(call.method)) {
      const ruling = bot.control.judge(arrival.atMs, arrival.chat);
      if (ruling.kind === 'flood') {
        arrival.verdict = 'flood';
        return { kind: 'flood', chat: ruling.chat, control: bot.control };
      }
    }
    const problem = arrival.params === null ? "Bad Request: can't parse JSON object" : refusal(call);
    if (problem !== null) {
      arrival.verdict = 'refused';
      return { kind: 'answer', answer: failureAnswer(400, problem) };
    }
    const messageId = isQuestion(call.method) ? 0 : this.#store(arrival);
    return { kind: 'answer', answer: { status: 200, headers: {}, body: successBody(call, bot, messageId) } };
  }

  #store(arrival: OpenArrival): number {
    const { n, atMs, bot, method, chat, text } = arrival;
    const { log } = this.#parts;
    const messageId = 500 + log.stored.length + 1;
    arrival.verdict = 'stored';
    if (bot !== null && method !== null && makesMessage(method)) {
      log.store({ n, atMs, bot, method, chat, text, messageId });
    }
    return messageId;
  }

  async #send(
    arrival: OpenArrival,
    response: ServerResponse,
    ruled: Ruled,
    how: Pick<Proceed, 'holdMs' | 'delivery'>,
  ): Promise<void> {
    const { clock, log, signal } = this.#parts;
    log.changed();
    if (how.holdMs > 0) await pause(how.holdMs, undefined, { signal });
    const answeredAtMs = await clock.read();
    if (response.socket === null || response.socket.destroyed) return; // the sender gave up: nothing was answered
    const answer =
      ruled.kind === 'answer' ? ruled.answer : floodAnswer(ruled.control.endsAtMs(ruled.chat) - answeredAtMs);
    arrival.httpStatus = answer.status;
    arrival.answeredAtMs = answeredAtMs;
    this.#announce(arrival, answeredAtMs, answer, ruled.kind === 'flood' ? ruled.chat : null);
    log.changed();
    await deliver(response, answer, how.delivery, signal);
  }

  #announce(arrival: OpenArrival, answeredAtMs: number, answer: RawAnswer, chat: string | null): void {
    const retryAfterSeconds = announcedSeconds(answer);
    if (arrival.bot === null || retryAfterSeconds === null) return;
    const untilMs = answeredAtMs + retryAfterSeconds * 1000;
    this.#parts.log.deadlines.push({ bot: arrival.bot, chat, answeredAtMs, retryAfterSeconds, untilMs });
  }
}

function failureAnswer(status: number, description: string): RawAnswer {
  return { status, headers: {}, body: JSON.stringify(failureBody(status, description)) };
}

function floodAnswer(restMs: number): RawAnswer {
  const seconds = Math.max(1, Math.ceil(restMs / 1000));
  const body = failureBody(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
  return { status: 429, headers: { 'retry-after': String(seconds) }, body: JSON.stringify(body) };
}

/** The delay that a 429 announces in a usable form; null where there is none. */
function announcedSeconds(answer: RawAnswer): number | null {
  if (answer.status !== 429) return null;
  try {
    const body = JSON.parse(answer.body) as { parameters?: { retry_after?: unknown } } | null;
    const seconds = body?.parameters?.retry_after;
    return typeof seconds === 'number' && Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : null;
  } catch {
    return null;
  }
}
