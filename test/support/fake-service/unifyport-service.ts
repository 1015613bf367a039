import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { deliver, type RawAnswer } from './delivery.ts';
import type { Front } from './front.ts';
import type { OrderedClock } from './ordered-clock.ts';
import type { ScriptBook } from './script-book.ts';
import type { Step } from './steps.ts';
import type { FakeAccount, UnifyportAccounts } from './unifyport-accounts.ts';
import type { OpenUnifyportArrival, UnifyportLog } from './unifyport-log.ts';
import { readUnifyportRequest, refusal, refusalOf, type UnifyportRequest } from './unifyport-message.ts';

export interface UnifyportParts {
  readonly accounts: UnifyportAccounts;
  readonly scripts: ScriptBook;
  readonly log: UnifyportLog;
  readonly front: Front;
  readonly clock: OrderedClock;
  /** Ends every pause of the fake. */
  readonly signal: AbortSignal;
}

/** A body that is an object gets the `request_id`, and the answer its header; text is of something in between. */
interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | object;
}

type Proceed = Extract<Step, { kind: 'proceed' }>;
type How = Pick<Proceed, 'holdMs' | 'delivery'>;

const AT_ONCE: Proceed = { kind: 'proceed', holdMs: 0, delivery: { kind: 'whole' } };
const TRACE = /^[A-Za-z0-9_.:/-]{1,128}$/;

/** The course of one request through the fake service. */
export class UnifyportService {
  /** True: requests are read and recorded, and none is answered. */
  blackhole = false;
  readonly #parts: UnifyportParts;

  constructor(parts: UnifyportParts) {
    this.#parts = parts;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { accounts, clock, front, log, scripts } = this.#parts;
    request.on('error', () => {});
    const { connection, end } = front.beginRequest(request.socket);
    const closed = new Promise<void>((resolve) => void response.once('close', resolve));
    const isSend = request.method === 'POST' && request.url === '/v1/messages';
    const key = headerOf(request, 'x-api-key');
    const owned = key === null ? null : accounts.withKey(key);
    const arrival = log.open({
      atMs: await clock.read(),
      method: isSend ? 'sendMessage' : null,
      connection,
      requestId: headerOf(request, 'x-request-id'),
    });
    void closed.then(async () => {
      end();
      log.close(arrival, await clock.read());
    });

    if (owned?.some(({ name }) => scripts.takeAtHead(name))) {
      request.socket.resetAndDestroy();
      return;
    }
    const text = await this.#readBody(request, arrival);
    if (text === null) return;
    const body = readUnifyportRequest(text);
    const account = owned?.find(({ id }) => id === body?.account) ?? null;
    arrival.bot = account?.name ?? null;
    arrival.account = body?.account ?? null;
    arrival.chat = body?.chat ?? null;
    arrival.text = body?.text ?? null;
    arrival.params = body?.params ?? null;
    log.changed();
    if (this.blackhole) return;
    if (!isSend) return this.#refuse(arrival, response, refusal(404, 'not_found', 40400, 'no such path'));
    if (key === null)
      return this.#refuse(arrival, response, refusal(401, 'missing_api_key', 40101, 'X-Api-Key is missing'));
    if (owned === null)
      return this.#refuse(arrival, response, refusal(401, 'invalid_api_key', 40102, 'the key is not valid'));
    // Scopes are kept in lower case; ids here differ in case, so two such chats would share a script.
    const chat = arrival.chat?.toLowerCase() ?? null;
    const step = account === null ? null : scripts.takeAtBody(account.name, chat);
    await this.#play(step ?? AT_ONCE, body, owned, arrival, response);
  }

  /** Null when the sender went away in the middle. */
  async #readBody(request: IncomingMessage, arrival: OpenUnifyportArrival): Promise<string | null> {
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

  async #play(
    step: Step,
    body: UnifyportRequest | null,
    owned: readonly FakeAccount[],
    arrival: OpenUnifyportArrival,
    response: ServerResponse,
  ): Promise<void> {
    switch (step.kind) {
      case 'proceed': {
        const refused = refusalOf(body, owned);
        if (refused !== null) return this.#refuse(arrival, response, refused, step);
        const data = { message_id: this.#store(arrival), account_id: arrival.account, status: 'accepted' };
        return this.#send(arrival, response, { status: 200, body: { data } }, step);
      }
      case 'answer':
        if (step.store) this.#store(arrival);
        else arrival.verdict = verdictOf(step.status);
        return this.#send(arrival, response, step, step);
      case 'silence':
      case 'reset_after_body':
        if (step.store) this.#store(arrival);
        if (step.kind === 'reset_after_body') response.socket?.resetAndDestroy();
        return;
      case 'reset_at_head':
      case 'flood':
        throw new Error(`${step.kind} is not played here`);
    }
  }

  #refuse(
    arrival: OpenUnifyportArrival,
    response: ServerResponse,
    answer: Answer,
    how: How = AT_ONCE,
  ): Promise<void> {
    arrival.verdict = 'refused';
    return this.#send(arrival, response, answer, how);
  }

  /** The id that the message got. */
  #store(arrival: OpenUnifyportArrival): string {
    const { n, atMs, bot, account, chat, text } = arrival;
    const { log } = this.#parts;
    const messageId = 500 + log.stored.length + 1;
    arrival.verdict = 'stored';
    if (bot !== null && account !== null)
      log.store({ n, atMs, bot, account, method: 'sendMessage', chat, text, messageId });
    return String(messageId);
  }

  async #send(
    arrival: OpenUnifyportArrival,
    response: ServerResponse,
    answer: Answer,
    how: How,
  ): Promise<void> {
    const { clock, log, signal } = this.#parts;
    log.changed();
    if (how.holdMs > 0) await pause(how.holdMs, undefined, { signal });
    const answeredAtMs = await clock.read();
    if (response.socket === null || response.socket.destroyed) return; // the sender gave up: nothing was answered
    arrival.httpStatus = answer.status;
    arrival.answeredAtMs = answeredAtMs;
    log.changed();
    await deliver(response, rawAnswer(answer, arrival), how.delivery, signal);
  }
}

function rawAnswer(
  { status, headers = {}, body }: Answer,
  { n, requestId }: OpenUnifyportArrival,
): RawAnswer {
  if (typeof body === 'string') return { status, headers, body };
  const ownId = `req_${n}`;
  const echo = requestId !== null && TRACE.test(requestId) ? { client_request_id: requestId } : {};
  return {
    status,
    headers: { 'x-request-id': ownId, ...headers },
    body: JSON.stringify({ request_id: ownId, ...echo, ...body }),
  };
}

/** A 501 is a refusal here: the service says that nothing was done. */
function verdictOf(status: number): OpenUnifyportArrival['verdict'] {
  if (status === 429) return 'flood';
  return (status >= 400 && status < 500) || status === 501 ? 'refused' : 'none';
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
