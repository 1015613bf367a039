import { createServer } from 'node:http';
import type { ConnectionRecord, Deadline } from './arrival.ts';
import { BotDirectory, type BotRules } from './bot-directory.ts';
import { Front } from './front.ts';
import { OrderedClock, type NowMs } from './ordered-clock.ts';
import { QivunaDesk } from './qivuna-desk.ts';
import { QivunaLog, type QivunaArrival, type QivunaMessage } from './qivuna-log.ts';
import { QivunaService } from './qivuna-service.ts';
import { QivunaStore } from './qivuna-store.ts';
import { ScriptBook, type Script, type ScriptScope } from './script-book.ts';
import type { Step } from './steps.ts';

export interface FakeQivunaOptions {
  /** Rules by token, `<id>:<secret>`. */
  readonly bots: Readonly<Record<string, BotRules>>;
  /** How long an answer is kept with its key: an hour by default. */
  readonly storeForMs?: number;
  /** How many keys are kept for each bot: the last 1,000 by default. */
  readonly storeKeys?: number;
  /** The clock of the store, windows, penalties and records; monotonic by default. Holds take real time always. */
  readonly nowMs?: NowMs;
  /** A free port by default. */
  readonly port?: number;
  /** Keep-alive sockets are closed, unannounced, after so long without a request; never by default. */
  readonly idleCloseMs?: number;
}

/**
 * Qivuna's bots on loopback, idempotency keys included. Where a method takes a bot, its token or its name will do. A
 * request without a key is carried out as often as it comes.
 */
export interface FakeQivuna {
  readonly apiRoot: string;
  readonly port: number;
  /** Every request whose head was read, in that order, those never completed or never answered included. */
  readonly arrivals: readonly QivunaArrival[];
  /** Every wait that a 429 announced, in the order of the answers. */
  readonly deadlines: readonly Deadline[];
  /** Every connection ever accepted; `length` is their count. */
  readonly connections: readonly ConnectionRecord[];
  /** Errors of the fake itself, its clock's included: a test that passes leaves it empty. */
  readonly problems: readonly unknown[];
  /** Requests of the bot that are neither answered to the end nor given up by the sender. */
  outstanding(bot: string): number;
  maxOutstanding(bot: string): number;
  /** Messages taken, whatever the sender was told; of all bots without `bot`. A replay takes none. */
  stored(bot?: string): readonly QivunaMessage[];

  /**
   * What happens with the bot's next requests instead of the usual course, one step for each in order. `store` of a step:
   * the request is carried out, once for each key, and the service's own success is kept with the key; what the step says
   * is only what the sender sees. A held request runs, and its key with it, until the hold is over, whether or not its
   * sender waits for that.
   */
  script(bot: string, steps: Step | readonly Step[], scope?: ScriptScope): Script;
  /** Starts a penalty of the whole bot now, unless a longer one holds. */
  flood(bot: string, seconds: number): Promise<void>;
  /** The bot changes owners: its stored answers vanish. */
  forgetKeys(bot: string): void;

  /** Connections are refused from now on. Requests in progress may finish, or are `reset`. */
  refuse(options?: { readonly inProgress: 'finish' | 'reset' }): void;
  /** The next connections are reset before anything is read. */
  resetConnections(count: number): void;
  /** Ends `refuse` and `resetConnections`; on the same port. Nothing is forgotten. */
  accept(): Promise<void>;

  /** Resolves with what `look` returns as soon as that is truthy; rejects after `timeoutMs` (10 s) with what was seen. */
  waitFor<T>(
    look: (fake: FakeQivuna) => T,
    options?: { readonly timeoutMs?: number },
  ): Promise<NonNullable<T>>;
  /** Resets every connection and frees the port. */
  stop(): Promise<void>;
}

/** Resolves when the service accepts connections. */
export async function startFakeQivuna(options: FakeQivunaOptions): Promise<FakeQivuna> {
  const { storeForMs = 60 * 60_000, storeKeys = 1000 } = options;
  const bots = new BotDirectory(options.bots);
  const scripts = new ScriptBook();
  const store = new QivunaStore({ storeForMs, storeKeys });
  const log = new QivunaLog();
  const problems: unknown[] = [];
  const ending = new AbortController();
  const note = (problem: unknown): void => {
    if (!ending.signal.aborted) problems.push(problem);
  };
  const clock = new OrderedClock(options.nowMs ?? (() => performance.now()), note);
  const http = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
  const front = new Front(http, { idleCloseMs: options.idleCloseMs, onChange: () => log.changed() });

  const desk = new QivunaDesk(store, log);
  const service = new QivunaService({ bots, scripts, log, desk, front, clock, signal: ending.signal });
  http.on('clientError', (_error, socket) => socket.destroy());
  http.on('request', (request, response) => {
    service.serve(request, response).catch((error: unknown) => {
      request.socket.destroy();
      note(error);
    });
  });
  const port = await front.open(options.port ?? 0);

  const fake: FakeQivuna = {
    apiRoot: `http://127.0.0.1:${port}`,
    port,
    arrivals: log.arrivals,
    deadlines: log.deadlines,
    problems,
    get connections() {
      return front.connections;
    },
    outstanding: (bot) => log.outstanding(bots.find(bot).name),
    maxOutstanding: (bot) => log.maxOutstanding(bots.find(bot).name),
    stored(bot) {
      const name = bot === undefined ? null : bots.find(bot).name;
      return log.stored.filter((message) => name === null || message.bot === name);
    },
    script(bot, steps, scope = {}) {
      const added = [steps].flat().map((step) => scripts.add(bots.find(bot).name, scope, step));
      return {
        get played() {
          return added.reduce((sum, { played }) => sum + played, 0);
        },
        withdraw: () => added.forEach((script) => script.withdraw()),
      };
    },
    async flood(bot, seconds) {
      bots.find(bot).control.penalize(null, (await clock.read()) + seconds * 1000);
    },
    forgetKeys: (bot) => store.forget(bots.find(bot).name),
    refuse({ inProgress } = { inProgress: 'finish' }) {
      front.close();
      if (inProgress === 'reset') front.resetAll();
    },
    resetConnections: (count) => front.resetNext(count),
    async accept() {
      front.resetNext(0);
      await front.open(port);
    },
    waitFor: (look, { timeoutMs = 10_000 } = {}) => log.waitFor(() => look(fake), timeoutMs),
    async stop() {
      ending.abort();
      front.close();
      front.resetAll();
    },
  };
  return fake;
}
