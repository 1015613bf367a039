import { createServer } from 'node:http';
import type { Arrival, ConnectionRecord, Deadline, StoredMessage } from './arrival.ts';
import { BotDirectory, type BotRules } from './bot-directory.ts';
import { ExchangeLog } from './exchange-log.ts';
import { Front } from './front.ts';
import { OrderedClock, type NowMs } from './ordered-clock.ts';
import { ScriptBook, type Script, type ScriptScope } from './script-book.ts';
import { Service } from './service.ts';
import type { Step } from './steps.ts';

export interface FakeTelegramOptions {
  /** Rules by token. */
  readonly bots: Readonly<Record<string, BotRules>>;
  /** The clock of windows, penalties and records; monotonic by default. Holds and trickles take real time always. */
  readonly nowMs?: NowMs;
  /** A free port by default. */
  readonly port?: number;
  /** Keep-alive sockets are closed, unannounced, after so long without a request; never by default. */
  readonly idleCloseMs?: number;
}

/** A Telegram Bot API on loopback. Where a method takes a bot, its token or its name will do. */
export interface FakeTelegram {
  readonly apiRoot: string;
  readonly port: number;
  /** Every request whose head was read, in that order, those never completed or never answered included. */
  readonly arrivals: readonly Arrival[];
  /** Every wait that a 429 announced, in the order of the answers. */
  readonly deadlines: readonly Deadline[];
  /** Every connection ever accepted; `length` is their count. */
  readonly connections: readonly ConnectionRecord[];
  /** Errors of the fake itself, its clock's included: a test that passes leaves it empty. */
  readonly problems: readonly unknown[];
  /** Requests of the bot that are neither answered to the end nor given up by the sender. */
  outstanding(bot: string): number;
  maxOutstanding(bot: string): number;
  /** Messages taken, whatever the sender was told; of all bots without `bot`. */
  stored(bot?: string): readonly StoredMessage[];

  script(bot: string, scope: ScriptScope, step: Step): Script;
  /** Starts a penalty now, of the whole bot or of one chat, unless a longer one holds. */
  flood(bot: string, seconds: number, chat?: string | number): Promise<void>;
  /** End of the present penalty of the bot (or chat) on the fake's clock; null when none was ever started. */
  penaltyEndsAtMs(bot: string, chat?: string | number): number | null;

  /** Connections are refused from now on. Requests in progress may finish, or are `reset`. */
  refuse(options?: { readonly inProgress: 'finish' | 'reset' }): void;
  /** Requests are read and recorded, and none that comes from now on is answered. */
  blackhole(): void;
  /** The next connections are reset before anything is read. */
  resetConnections(count: number): void;
  /** Ends `refuse`, `blackhole` and `resetConnections`; on the same port. Nothing is forgotten. */
  accept(): Promise<void>;

  /** Resolves with what `look` returns as soon as that is truthy; rejects after `timeoutMs` (10 s) with what was seen. */
  waitFor<T>(
    look: (fake: FakeTelegram) => T,
    options?: { readonly timeoutMs?: number },
  ): Promise<NonNullable<T>>;
  /** Resets every connection and frees the port. */
  stop(): Promise<void>;
}

/** Resolves when the service accepts connections. */
export async function startFakeTelegram(options: FakeTelegramOptions): Promise<FakeTelegram> {
  const bots = new BotDirectory(options.bots);
  const scripts = new ScriptBook();
  const log = new ExchangeLog();
  const problems: unknown[] = [];
  const ending = new AbortController();
  const note = (problem: unknown): void => {
    if (!ending.signal.aborted) problems.push(problem);
  };
  const clock = new OrderedClock(options.nowMs ?? (() => performance.now()), note);
  const http = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
  const front = new Front(http, { idleCloseMs: options.idleCloseMs, onChange: () => log.changed() });

  const service = new Service({ bots, scripts, log, front, clock, signal: ending.signal });
  http.on('clientError', (_error, socket) => socket.destroy());
  http.on('request', (request, response) => {
    service.serve(request, response).catch((error: unknown) => {
      request.socket.destroy();
      note(error);
    });
  });
  const port = await front.open(options.port ?? 0);

  const fake: FakeTelegram = {
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
    script: (bot, scope, step) => scripts.add(bots.find(bot).name, scope, step),
    async flood(bot, seconds, chat) {
      bots.find(bot).control.penalize(bucket(chat), (await clock.read()) + seconds * 1000);
    },
    penaltyEndsAtMs(bot, chat) {
      const end = bots.find(bot).control.endsAtMs(bucket(chat));
      return end === -Infinity ? null : end;
    },
    refuse({ inProgress } = { inProgress: 'finish' }) {
      front.close();
      if (inProgress === 'reset') front.resetAll();
    },
    blackhole() {
      service.blackhole = true;
    },
    resetConnections: (count) => front.resetNext(count),
    async accept() {
      service.blackhole = false;
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

function bucket(chat: string | number | undefined): string | null {
  return chat === undefined ? null : String(chat).toLowerCase();
}
