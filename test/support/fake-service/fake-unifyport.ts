import { createServer } from 'node:http';
import type { ConnectionRecord } from './arrival.ts';
import { Front } from './front.ts';
import { OrderedClock, type NowMs } from './ordered-clock.ts';
import { ScriptBook, type Script, type ScriptScope } from './script-book.ts';
import type { Step } from './steps.ts';
import { UnifyportAccounts, type AccountRules } from './unifyport-accounts.ts';
import { UnifyportLog, type UnifyportArrival, type UnifyportMessage } from './unifyport-log.ts';
import { UnifyportService } from './unifyport-service.ts';

export type { AccountRules } from './unifyport-accounts.ts';
export type { UnifyportArrival, UnifyportMessage } from './unifyport-log.ts';
export * as unifyportStep from './unifyport-steps.ts';
export { deliverWebhook, signWebhook, signedHeaders, type WebhookEvent } from './unifyport-webhook.ts';

export interface FakeUnifyportOptions {
  /** Rules by id of the account. */
  readonly accounts: Readonly<Record<string, AccountRules>>;
  /** The clock of the records; monotonic by default. Holds and trickles take real time always. */
  readonly nowMs?: NowMs;
  /** A free port by default. */
  readonly port?: number;
  /** Keep-alive sockets are closed, unannounced, after so long without a request; never by default. */
  readonly idleCloseMs?: number;
}

/** UnifyPort's sending of messages on loopback. Where a method takes an account, its id or its name will do. */
export interface FakeUnifyport {
  readonly apiRoot: string;
  readonly port: number;
  /** Every request whose head was read, in that order, those never completed or never answered included. */
  readonly arrivals: readonly UnifyportArrival[];
  /** Every connection ever accepted; `length` is their count. */
  readonly connections: readonly ConnectionRecord[];
  /** Errors of the fake itself, its clock's included: a test that passes leaves it empty. */
  readonly problems: readonly unknown[];
  /** Requests of the account that are neither answered to the end nor given up by the sender. */
  outstanding(account: string): number;
  /** Messages taken, whatever the sender was told; of all accounts without `account`. */
  stored(account?: string): readonly UnifyportMessage[];

  /**
   * The step of the account's next requests; `resetAtHead` is for every account with the same key, since the account
   * stands in the body.
   */
  script(account: string, step: Step, scope?: ScriptScope): Script;
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
    look: (fake: FakeUnifyport) => T,
    options?: { readonly timeoutMs?: number },
  ): Promise<NonNullable<T>>;
  /** Resets every connection and frees the port. */
  stop(): Promise<void>;
}

/** Resolves when the service accepts connections. */
export async function startFakeUnifyport(options: FakeUnifyportOptions): Promise<FakeUnifyport> {
  const accounts = new UnifyportAccounts(options.accounts);
  const scripts = new ScriptBook();
  const log = new UnifyportLog();
  const problems: unknown[] = [];
  const ending = new AbortController();
  const note = (problem: unknown): void => {
    if (!ending.signal.aborted) problems.push(problem);
  };
  const clock = new OrderedClock(options.nowMs ?? (() => performance.now()), note);
  const http = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });
  const front = new Front(http, { idleCloseMs: options.idleCloseMs, onChange: () => log.changed() });

  const service = new UnifyportService({ accounts, scripts, log, front, clock, signal: ending.signal });
  http.on('clientError', (_error, socket) => socket.destroy());
  http.on('request', (request, response) => {
    service.serve(request, response).catch((error: unknown) => {
      request.socket.destroy();
      note(error);
    });
  });
  const port = await front.open(options.port ?? 0);

  const fake: FakeUnifyport = {
    apiRoot: `http://127.0.0.1:${port}`,
    port,
    arrivals: log.arrivals,
    problems,
    get connections() {
      return front.connections;
    },
    outstanding: (account) => log.outstanding(accounts.find(account).name),
    stored(account) {
      const id = account === undefined ? null : accounts.find(account).id;
      return log.stored.filter((message) => id === null || message.account === id);
    },
    script(account, step, scope = {}) {
      if (step.kind === 'flood')
        throw new Error('this service announces no delay: script unifyportStep.tooManyRequests()');
      return scripts.add(accounts.find(account).name, scope, step);
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
