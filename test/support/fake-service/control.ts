import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FakeTelegram } from './fake-telegram.ts';
import type { ScriptScope } from './script-book.ts';
import { isStep } from './steps.ts';

export interface FakeControl {
  readonly url: string;
  stop(): Promise<void>;
}

/** Body of a request: the parameters of the method of `FakeTelegram`, by name, as JSON. */
interface ControlBody extends ScriptScope {
  readonly bot?: string;
  readonly step?: unknown;
  readonly seconds?: number;
  readonly inProgress?: 'finish' | 'reset';
  readonly count?: number;
}

type Act = (fake: FakeTelegram, body: ControlBody) => unknown;

const ACTS: Readonly<Record<string, Act>> = {
  'GET /arrivals': (fake) => fake.arrivals,
  'GET /deadlines': (fake) => fake.deadlines,
  'GET /connections': (fake) => fake.connections,
  'GET /stored': (fake) => fake.stored(),
  'GET /problems': (fake) => fake.problems.map(String),
  'POST /script': (fake, { bot = '', step, ...scope }) => {
    if (!isStep(step)) throw new Error('"step" is none of the steps in steps.ts');
    fake.script(bot, scope, step);
  },
  'POST /flood': (fake, { bot = '', seconds, chat }) => {
    if (typeof seconds !== 'number') throw new Error('"seconds" must be a number');
    return fake.flood(bot, seconds, chat);
  },
  'POST /refuse': (fake, { inProgress = 'finish' }) => fake.refuse({ inProgress }),
  'POST /blackhole': (fake) => fake.blackhole(),
  'POST /reset-connections': (fake, { count = 1 }) => fake.resetConnections(count),
  'POST /accept': (fake) => fake.accept(),
};

/** Lets another process see the record of a fake and act on it, on a loopback port of its own. */
export async function startControl(fake: FakeTelegram, port = 0): Promise<FakeControl> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const act = ACTS[`${request.method} ${request.url}`];
    if (act === undefined) return answer(404, { problem: `give one of: ${Object.keys(ACTS).join(', ')}` });
    readJson(request)
      .then((body) => act(fake, body))
      .then(
        (result) => answer(200, result ?? {}),
        (error: unknown) => answer(400, { problem: error instanceof Error ? error.message : String(error) }),
      );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readJson(request: IncomingMessage): Promise<ControlBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8').trim();
  const body: unknown = text === '' ? {} : JSON.parse(text);
  if (typeof body !== 'object' || body === null) throw new Error('the body must be a JSON object');
  return body;
}
