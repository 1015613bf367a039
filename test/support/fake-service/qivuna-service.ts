import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { BotDirectory, FakeBot } from './bot-directory.ts';
import { deliver, type RawAnswer } from './delivery.ts';
import type { Front } from './front.ts';
import type { OrderedClock } from './ordered-clock.ts';
import { announcedSeconds, failureAnswer, floodAnswer } from './qivuna-answers.ts';
import { refuse, type QivunaDesk, type Ruled } from './qivuna-desk.ts';
import type { OpenQivunaArrival, QivunaLog } from './qivuna-log.ts';
import { readRequestBody } from './request-body.ts';
import type { ScriptBook } from './script-book.ts';
import type { Step } from './steps.ts';

export interface QivunaParts {
  readonly bots: BotDirectory;
  readonly scripts: ScriptBook;
  readonly log: QivunaLog;
  readonly desk: QivunaDesk;
  readonly front: Front;
  readonly clock: OrderedClock;
  /** Ends every pause of the fake. */
  readonly signal: AbortSignal;
}

type Proceed = Extract<Step, { kind: 'proceed' }>;

const AT_ONCE: Proceed = { kind: 'proceed', holdMs: 0, delivery: { kind: 'whole' } };

/** The course of one request through the fake Qivuna. */
export class QivunaService {
  readonly #parts: QivunaParts;

  constructor(parts: QivunaParts) {
    this.#parts = parts;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { bots, clock, front, log, scripts } = this.#parts;
    request.on('error', () => {});
    const { connection, end } = front.beginRequest(request.socket);
    const closed = new Promise<void>((resolve) => void response.once('close', resolve));
    const [, token = ''] = /^Bot (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
    const [, method = null] = /^\/v1\/(\w+)$/.exec(request.url ?? '') ?? [];
    const key = request.headers['idempotency-key'];
    const bot = bots.byToken(token);
    const atMs = await clock.read();
    const early = bot !== null && atMs < bot.control.endsAtMs(null);
    const idempotencyKey = typeof key === 'string' ? key : null;
    const arrival = log.begin({ atMs, bot: bot?.name ?? null, method, connection, early, idempotencyKey });
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
      const answer =
        bot === null
          ? failureAnswer(401, 'unauthorized', 'No bot has this token')
          : failureAnswer(404, 'not_found', 'No such method');
      await this.#send(arrival, response, refuse(arrival, answer), AT_ONCE);
      return;
    }
    const body = readRequestBody(text);
    arrival.chat = body?.chat ?? null;
    arrival.text = body?.text ?? null;
    arrival.params = body?.params ?? null;
    arrival.early = atMs < bot.control.endsAtMs(arrival.chat);
    log.changed();
    await this.#play(scripts.takeAtBody(bot.name, arrival.chat) ?? AT_ONCE, bot, arrival, response);
  }

  /** Null when the sender went away in the middle. */
  async #readBody(request: IncomingMessage, arrival: OpenQivunaArrival): Promise<string | null> {
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

  async #play(step: Step, bot: FakeBot, arrival: OpenQivunaArrival, response: ServerResponse): Promise<void> {
    const { control } = bot;
    const { desk, log } = this.#parts;
    switch (step.kind) {
      case 'proceed':
        return this.#send(arrival, response, desk.rule(bot, arrival), step);
      case 'answer': {
        if (step.status !== 429) control.take(arrival.atMs, arrival.chat);
        const ruled = step.store ? desk.carryOut(bot, arrival) : null;
        if (ruled === null && step.status === 429) arrival.verdict = 'flood';
        else if (ruled === null && step.status >= 400 && step.status < 500) arrival.verdict = 'refused';
        const body = typeof step.body === 'string' ? step.body : JSON.stringify(step.body);
        const answer = { status: step.status, headers: step.headers, body };
        // Another answer leaves than the one that is kept with the key.
        return this.#send(arrival, response, { kind: 'answer', ...ruled, answer }, step);
      }
      case 'flood': {
        arrival.verdict = 'flood';
        control.penalize(null, arrival.atMs + step.seconds * 1000);
        const how = { ...AT_ONCE, holdMs: step.holdMs };
        return this.#send(arrival, response, { kind: 'flood', chat: null, control }, how);
      }
      case 'silence':
      case 'reset_after_body': {
        control.take(arrival.atMs, arrival.chat);
        const ruled = step.store ? desk.carryOut(bot, arrival) : null;
        if (ruled?.kind === 'ran') ruled.keep(arrival.atMs);
        log.changed();
        if (step.kind === 'reset_after_body') response.socket?.resetAndDestroy();
        return;
      }
      case 'reset_at_head':
        throw new Error('reset_at_head is played before the body is read');
    }
  }

  async #send(
    arrival: OpenQivunaArrival,
    response: ServerResponse,
    ruled: Ruled,
    how: Pick<Proceed, 'holdMs' | 'delivery'>,
  ): Promise<void> {
    const { clock, log, signal } = this.#parts;
    log.changed();
    if (how.holdMs > 0) await pause(how.holdMs, undefined, { signal });
    const answeredAtMs = await clock.read();
    if (ruled.kind === 'ran') ruled.keep(answeredAtMs);
    if (response.socket === null || response.socket.destroyed) return; // the sender gave up: nothing was answered
    const answer =
      ruled.kind === 'flood' ? floodAnswer(ruled.control.endsAtMs(ruled.chat) - answeredAtMs) : ruled.answer;
    arrival.httpStatus = answer.status;
    arrival.answeredAtMs = answeredAtMs;
    this.#announce(arrival, answeredAtMs, answer, ruled.kind === 'flood' ? ruled.chat : null);
    log.changed();
    // Names the request, so a replayed answer has a new one.
    const headers = { 'x-request-id': `req-${arrival.n}`, ...answer.headers };
    await deliver(response, { ...answer, headers }, how.delivery, signal);
  }

  #announce(arrival: OpenQivunaArrival, answeredAtMs: number, answer: RawAnswer, chat: string | null): void {
    const retryAfterSeconds = announcedSeconds(answer);
    if (arrival.bot === null || retryAfterSeconds === null) return;
    const untilMs = answeredAtMs + retryAfterSeconds * 1000;
    this.#parts.log.deadlines.push({ bot: arrival.bot, chat, answeredAtMs, retryAfterSeconds, untilMs });
  }
}
