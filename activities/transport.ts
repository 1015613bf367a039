import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import type { ServiceAnswer, ServiceRequest } from '../contracts/contract.ts';

/** How one request went. */
export type TransportResult =
  /** The answer's head was read. `complete` is false where its body was cut off; what was read of it stands in `answer`. */
  | {
      readonly kind: 'answered';
      readonly answer: ServiceAnswer;
      readonly complete: boolean;
      readonly answeredAtMs: number;
    }
  /** `mayStart` said no when the connection was ready: nothing was written. */
  | { readonly kind: 'withheld'; readonly why: string }
  /** Proof that nothing was written: the connection was never made. */
  | { readonly kind: 'not_connected'; readonly why: string }
  /** Something may have been written, and no answer came. */
  | { readonly kind: 'no_answer'; readonly why: string };

export interface TransportOptions {
  readonly httpTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** Asked at the last moment before the first byte: why the request must not leave any more, or undefined. */
  readonly mayStart: () => string | undefined;
}

export interface Transport {
  send(request: ServiceRequest, options: TransportOptions): Promise<TransportResult>;
  close(): Promise<void>;
}

/** Idle sockets are closed well before a service would: a reused dead one would make a false `unknown`. */
const idleSocketMs = 1000;
/** A longer answer is no answer of a service. */
const maxAnswerBytes = 1024 * 1024;

class Withheld extends Error {}

/** One request is one POST: no retries, no redirects, no pipelining. Nothing of a request is ever logged. */
export function createTransport(): Transport {
  const agents = new Map<number, Agent>();
  const agentFor = (connectTimeoutMs: number): Agent => {
    let agent = agents.get(connectTimeoutMs);
    if (!agent) {
      agent = new Agent({
        connect: { timeout: connectTimeoutMs },
        keepAliveTimeout: idleSocketMs,
        keepAliveMaxTimeout: idleSocketMs,
        pipelining: 1,
      });
      agents.set(connectTimeoutMs, agent);
    }
    return agent;
  };
  return {
    send: (request, options) => sendOnce(agentFor(options.connectTimeoutMs), request, options),
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

async function sendOnce(
  agent: Agent,
  request: ServiceRequest,
  options: TransportOptions,
): Promise<TransportResult> {
  const bytes = Buffer.from(request.body, 'utf8');
  const timeout = AbortSignal.timeout(options.httpTimeoutMs);
  let written = false;
  // The body is pulled when the connection is ready: a request that waited for it too long leaves no byte (rule 14).
  async function* body(): AsyncGenerator<Buffer> {
    const why = timeout.aborted
      ? 'the HTTP time-out passed before the connection was ready'
      : options.mayStart();
    if (why !== undefined) throw new Withheld(why);
    written = true;
    yield bytes;
  }
  let response: Dispatcher.ResponseData;
  const url = new URL(request.url);
  try {
    response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: { ...request.headers, 'content-length': String(bytes.length) },
      // undici takes async iterables, which its types do not say; a stream could be pulled before it may leave.
      body: body() as unknown as Readable,
      signal: timeout,
      headersTimeout: options.httpTimeoutMs,
      bodyTimeout: options.httpTimeoutMs,
    });
  } catch (error) {
    const withheld = causeOf(error, Withheld);
    if (withheld) return { kind: 'withheld', why: withheld.message };
    const why = timeout.aborted ? `no answer within ${options.httpTimeoutMs} ms` : describeError(error);
    return written ? { kind: 'no_answer', why } : { kind: 'not_connected', why };
  }
  const { text, complete } = await readBody(response);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value);
  return {
    kind: 'answered',
    answer: { httpStatus: response.statusCode, headers, body: text },
    complete,
    answeredAtMs: performance.now(),
  };
}

async function readBody(response: Dispatcher.ResponseData): Promise<{ text: string; complete: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  const text = (): string => Buffer.concat(chunks).toString('utf8');
  try {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxAnswerBytes) {
        response.body.destroy();
        return { text: text(), complete: false };
      }
    }
    return { text: text(), complete: true };
  } catch {
    return { text: text(), complete: false };
  }
}

function causeOf<T extends Error>(error: unknown, type: new () => T): T | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof type) return at;
  return undefined;
}

/** Code and kind of a network error. Its message is left out: it may name what it was given. */
function describeError(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = (at as NodeJS.ErrnoException).code;
    if (typeof code === 'string') return `no answer: ${code}`;
  }
  if (error instanceof AggregateError) return describeError(error.errors[0]);
  return `no answer: ${error instanceof Error ? error.name : 'unknown error'}`;
}
