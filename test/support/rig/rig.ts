import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, type WorkflowHandle, isGrpcServiceError } from '@temporalio/client';
import { cooldownWorkflowId, contentHash, replyWorkflowId } from '../../../domain/ids.ts';
import type { LaneView } from '../../../domain/lane/show.ts';
import type { ReplyRecord } from '../../../domain/record.ts';
import type { ReplyInput } from '../../../domain/reply-input.ts';
import { type DevServer, type DevServerOptions, startDevServer } from '../../../tools/temporal/launcher.ts';
import { cooldownQuery, replyQuery } from '../../../workflows/protocol.ts';
import { type BotRules, type FakeTelegram, startFakeTelegram } from '../fake-service/index.ts';
import { assertLoopback } from '../loopback.ts';
import { waitUntil } from '../wait-until.ts';
import { type WorkerProcess, startWorkerProcess } from './worker-process.ts';

export interface RigBot {
  /** Settings in the configuration beside contract, token and root. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What the fake enforces; nothing by default. */
  readonly rules?: Omit<BotRules, 'name'>;
}

export interface RigOptions {
  readonly bots: Readonly<Record<string, RigBot>>;
  /** Worker processes to start with; one by default. */
  readonly workers?: number;
  readonly server?: DevServerOptions;
  readonly idleCloseMs?: number;
  /** Environment of every worker, for example `LD_PRELOAD`. */
  readonly workerEnv?: Readonly<Record<string, string>>;
}

/** A real server, real worker processes, and the fake service, for one test file. */
export class Rig {
  readonly fake: FakeTelegram;
  readonly client: Client;
  readonly folder: string;
  server: DevServer;
  readonly workers: WorkerProcess[] = [];
  readonly #connection: Connection;
  readonly #options: RigOptions;
  /** Settings of each bot as they stand in the configuration. */
  readonly #settings: Record<string, Readonly<Record<string, unknown>>>;
  #encryption: unknown;

  private constructor(parts: {
    fake: FakeTelegram;
    connection: Connection;
    server: DevServer;
    folder: string;
    options: RigOptions;
  }) {
    this.fake = parts.fake;
    this.#connection = parts.connection;
    this.client = new Client({ connection: parts.connection });
    this.server = parts.server;
    this.folder = parts.folder;
    this.#options = parts.options;
    this.#settings = Object.fromEntries(
      Object.entries(parts.options.bots).map(([name, bot]) => [name, bot.settings ?? {}]),
    );
  }

  static async start(options: RigOptions): Promise<Rig> {
    const names = Object.keys(options.bots);
    const [server, fake, folder] = await Promise.all([
      startDevServer(options.server ?? {}),
      startFakeTelegram({
        bots: Object.fromEntries(
          names.map((name) => [tokenOf(name), { ...options.bots[name]?.rules, name }]),
        ),
        ...(options.idleCloseMs === undefined ? {} : { idleCloseMs: options.idleCloseMs }),
      }),
      mkdtemp(join(tmpdir(), 'replylane-rig-')),
    ]);
    assertLoopback(fake.apiRoot);
    const connection = await Connection.connect({ address: server.address });
    const rig = new Rig({ fake, connection, server, folder, options });
    await rig.#writeConfig();
    await Promise.all(Array.from({ length: options.workers ?? 1 }, () => rig.addWorker()));
    return rig;
  }

  /** Environment with which a process of the project finds this rig. */
  env(): Record<string, string> {
    const tokens = Object.keys(this.#options.bots).map((name) => [tokenVariable(name), tokenOf(name)]);
    return {
      TEMPORAL_ADDRESS: this.server.address,
      REPLYLANE_CONFIG: join(this.folder, 'replylane.config.json'),
      ...(Object.fromEntries(tokens) as Record<string, string>),
    };
  }

  /** Whom the naive control sender sends as. */
  sender(bot: string): { readonly apiRoot: string; readonly token: string } {
    return { apiRoot: this.fake.apiRoot, token: tokenOf(bot) };
  }

  async addWorker(env: Readonly<Record<string, string>> = {}): Promise<WorkerProcess> {
    const worker = await startWorkerProcess({ ...this.env(), ...this.#options.workerEnv, ...env });
    this.workers.push(worker);
    return worker;
  }

  /** Changes the settings of a bot, for workers that are started from now on. */
  async configure(bot: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
    this.#settings[bot] = settings;
    await this.#writeConfig();
  }

  /** Changes how payloads are encrypted, for what is started from now on. */
  async encrypt(encryption: unknown): Promise<void> {
    this.#encryption = encryption;
    await this.#writeConfig();
  }

  /** SIGKILL to all workers. Returns how many there were. */
  async killWorkers(): Promise<number> {
    const killed = this.workers.splice(0);
    await Promise.all(killed.map((worker) => worker.kill()));
    return killed.length;
  }

  /** Kills all workers, and starts as many. */
  async restartWorkers(): Promise<void> {
    const count = await this.killWorkers();
    await Promise.all(Array.from({ length: count }, () => this.addWorker()));
  }

  /** What the fake must know a bot by. */
  static tokenOf(bot: string): string {
    return tokenOf(bot);
  }

  async #writeConfig(): Promise<void> {
    const bots = Object.entries(this.#settings).map(([name, settings]) => [
      name,
      { contract: 'telegram', tokenEnv: tokenVariable(name), apiRoot: this.fake.apiRoot, ...settings },
    ]);
    const config = JSON.stringify({
      bots: Object.fromEntries(bots) as unknown,
      encryption: this.#encryption,
    });
    await writeFile(join(this.folder, 'replylane.config.json'), config);
  }

  /** Starts a reply as an app without our client would: a bare start. */
  async start(input: ReplyInput): Promise<WorkflowHandle> {
    return this.client.workflow.start('replyWorkflow', {
      workflowId: replyWorkflowId(input),
      taskQueue: 'replylane',
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      memo: { contentHash: contentHash(input.content) },
    });
  }

  handle(bot: string, key: string): WorkflowHandle {
    return this.client.workflow.getHandle(replyWorkflowId({ bot, key }));
  }

  /** The record of an open reply. */
  record(bot: string, key: string): Promise<ReplyRecord> {
    return asked(() => this.handle(bot, key).query(replyQuery));
  }

  /** The record of a reply that has ended; waits for that. */
  async result(bot: string, key: string): Promise<ReplyRecord> {
    return (await this.handle(bot, key).result()) as ReplyRecord;
  }

  /** Waits until the reply's record is as wanted; the bound is an error that shows the record. */
  async until(
    bot: string,
    key: string,
    wanted: (record: ReplyRecord) => boolean,
    withinMs = 30_000,
  ): Promise<ReplyRecord> {
    let last: ReplyRecord | undefined;
    await waitUntil(
      async () => {
        try {
          last = await this.record(bot, key);
        } catch (error) {
          // Right after a worker was killed or frozen, nobody answers queries for some seconds.
          if (isUnanswered(error)) return false;
          throw error;
        }
        return wanted(last);
      },
      { withinMs, what: () => `reply ${bot}/${key}, now ${JSON.stringify(last)}` },
    );
    return last as ReplyRecord;
  }

  lane(bot: string): Promise<LaneView> {
    return asked(() => this.client.workflow.getHandle(cooldownWorkflowId(bot)).query(cooldownQuery));
  }

  /** A lane in its first second cannot vouch for the time before it: waits that out. */
  async untilLaneIsOld(bot: string): Promise<void> {
    const handle = this.client.workflow.getHandle(cooldownWorkflowId(bot));
    await waitUntil(
      async () => {
        const { startTime } = await handle.describe();
        return Date.now() > startTime.getTime() + 1500;
      },
      { withinMs: 10_000, what: () => `the lane of ${bot} to be old enough` },
    );
  }

  /** What the runs of an activity returned, in their order, from the reply's history. */
  async activityResults(bot: string, key: string, activity: string): Promise<unknown[]> {
    const { events } = await this.handle(bot, key).fetchHistory();
    const wanted = new Set(
      events
        ?.filter((event) => event.activityTaskScheduledEventAttributes?.activityType?.name === activity)
        .map((event) => String(event.eventId)),
    );
    return (events ?? []).flatMap(({ activityTaskCompletedEventAttributes: completed }) => {
      const data = completed?.result?.payloads?.[0]?.data;
      if (!data || !wanted.has(String(completed.scheduledEventId))) return [];
      return [JSON.parse(Buffer.from(data).toString('utf8')) as unknown];
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()));
    await this.#connection.close();
    await Promise.all([this.fake.stop(), this.server.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }
}

function isUnanswered(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return isGrpcServiceError(cause) && cause.code === 4;
}

/** A text message of one bot. */
export function textReply(
  bot: string,
  key: string,
  chat: number | string,
  rest: Partial<ReplyInput> & { readonly text?: string } = {},
): ReplyInput {
  const { text = key, ...fields } = rest;
  return { bot, key, content: { method: 'sendMessage', params: { chat_id: chat, text } }, ...fields };
}

/** A query that no worker got round to in time is asked again: that is the machine's load, not the case. */
async function asked<T>(query: () => Promise<T>, triesLeft = 3): Promise<T> {
  try {
    return await query();
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const late = isGrpcServiceError(cause) && cause.code === 4;
    if (!late || triesLeft === 0) throw error;
    return asked(query, triesLeft - 1);
  }
}

function tokenOf(bot: string): string {
  return `${100_000 + bot.length}:TEST-TOKEN-OF-${bot}-abcdefghijklmnopqrstuvw`;
}

function tokenVariable(bot: string): string {
  return `RIG_TOKEN_${bot.toUpperCase().replaceAll('-', '_')}`;
}
