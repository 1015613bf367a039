import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { DefaultLogger, Runtime, Worker, makeTelemetryFilterString } from '@temporalio/worker';
import { createActivities } from '../../../activities/create.ts';
import { createLaneClient } from '../../../activities/lane-client.ts';
import { createReplyMessages } from '../../../activities/reply-messages.ts';
import { createTransport } from '../../../activities/transport.ts';
import { parseConfig } from '../../../config/load.ts';
import { cooldownWorkflowId, replyWorkflowId } from '../../../domain/ids.ts';
import type { LaneView } from '../../../domain/lane/show.ts';
import type { ReplyRecord } from '../../../domain/record.ts';
import type { ReplyInput } from '../../../domain/reply-input.ts';
import { packageRoot } from '../../../tools/temporal/package-root.ts';
import { auditSinks } from '../../../workers/audit.ts';
import { laneWorkerOptions, workerOptions } from '../../../workers/reply-worker.ts';
import { cooldownQuery, replyQuery } from '../../../workflows/protocol.ts';
import { replyStartOptions } from '../../../workflows/reply-options.ts';
import { type FakeTelegram, startFakeTelegram } from '../fake-service/index.ts';
import { assertLoopback } from '../loopback.ts';
import { waitUntil } from '../wait-until.ts';

/**
 * The time-skipping server, a worker in this process and the fake service, which records the server's time: for waits
 * of hours. Time stands in step with the real one, but for `skip`. The test server leaves tasks for ever with a worker
 * that is gone, so workflows are not kept in memory here: each task is a replay.
 */
export class SkippingRig {
  readonly env: TestWorkflowEnvironment;
  readonly fake: FakeTelegram;
  /** A plain client: awaiting a result on the environment's own may skip years. */
  readonly client: Client;
  readonly logged: string[] = [];
  readonly #bots: Readonly<Record<string, object>>;
  #running: {
    readonly workers: readonly Worker[];
    readonly done: readonly Promise<void>[];
    readonly close: () => Promise<void>;
  } | null = null;

  private constructor(
    env: TestWorkflowEnvironment,
    fake: FakeTelegram,
    bots: Readonly<Record<string, object>>,
  ) {
    this.env = env;
    this.fake = fake;
    this.client = new Client({ connection: env.connection });
    this.#bots = bots;
  }

  /** `bots`: settings by name, beside contract, token and root. */
  static async start(serverPath: string, bots: Readonly<Record<string, object>>): Promise<SkippingRig> {
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      shutdownSignals: [],
      telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
    });
    const env = await TestWorkflowEnvironment.createTimeSkipping({
      server: { executable: { type: 'existing-path', path: serverPath } },
    });
    const fake = await startFakeTelegram({
      bots: Object.fromEntries(Object.keys(bots).map((name) => [tokenOf(name), { name }])),
      nowMs: () => env.currentTimeMs(),
    });
    assertLoopback(fake.apiRoot);
    const rig = new SkippingRig(env, fake, bots);
    await rig.startWorker();
    return rig;
  }

  /** What a fake must know a bot by. */
  static tokenOf(bot: string): string {
    return tokenOf(bot);
  }

  async startWorker(): Promise<void> {
    const variables = Object.keys(this.#bots).map((name, i) => ({
      name: `TOKEN_${i}`,
      token: tokenOf(name),
    }));
    const bots = Object.entries(this.#bots).map(([name, settings], i) => [
      name,
      { contract: 'telegram', tokenEnv: `TOKEN_${i}`, apiRoot: this.fake.apiRoot, ...settings },
    ]);
    const config = parseConfig(JSON.stringify({ bots: Object.fromEntries(bots) }), 'replylane.config.json');
    const tokens = new Map(variables.map(({ name, token }) => [name, token]));
    const transport = createTransport();
    const lanes = createLaneClient(this.client);
    for (const bot of config.bots.keys()) await lanes.ensure(bot);
    const bundle = join(packageRoot(), 'dist', 'workflow-bundle.js');
    if (!existsSync(bundle)) throw new Error(`${bundle} is missing: npm run build`);
    const log = (line: string): void => void this.logged.push(line);
    const options = {
      workflowBundle: { codePath: bundle },
      workflowsPath: undefined as never,
      maxCachedWorkflows: 0,
      connection: this.env.nativeConnection,
    };
    const laneWorker = await Worker.create({ ...laneWorkerOptions(), ...options });
    const worker = await Worker.create({
      ...workerOptions(),
      ...options,
      activities: createActivities({
        worker: 'in-process',
        attributes: false,
        bots: config.bots,
        token: ({ token }) => ({
          kind: 'token',
          token: token.kind === 'env' ? (tokens.get(token.variable) ?? '') : '',
        }),
        transport,
        lanes,
        replies: createReplyMessages(this.client),
        log,
      }),
      sinks: auditSinks(log),
    });
    const workers = [worker, laneWorker];
    const done = workers.map((one) => one.run());
    this.#running = { workers, done, close: () => transport.close() };
  }

  /** Stops the worker; with it goes everything that its process knew. */
  async stopWorker(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = null;
    for (const worker of running.workers) worker.shutdown();
    await Promise.all(running.done);
    await running.close();
  }

  start(input: ReplyInput): Promise<WorkflowHandle> {
    return this.client.workflow.start('replyWorkflow', replyStartOptions(input));
  }

  record(bot: string, key: string): Promise<ReplyRecord> {
    return this.client.workflow.getHandle(replyWorkflowId({ bot, key })).query(replyQuery);
  }

  /** Waits in real time until the reply's record is as wanted. */
  async until(
    bot: string,
    key: string,
    wanted: (record: ReplyRecord) => boolean,
    withinMs = 30_000,
  ): Promise<ReplyRecord> {
    let last: ReplyRecord | undefined;
    await waitUntil(
      async () => {
        last = await this.record(bot, key);
        return wanted(last);
      },
      { withinMs, what: () => `reply ${bot}/${key}, now ${JSON.stringify(last)}` },
    );
    return last as ReplyRecord;
  }

  lane(bot: string): Promise<LaneView> {
    return this.client.workflow.getHandle(cooldownWorkflowId(bot)).query(cooldownQuery);
  }

  nowMs(): Promise<number> {
    return this.env.currentTimeMs();
  }

  /** Lets so much of the server's time pass; timers that are due meanwhile fire. */
  async skip(ms: number): Promise<void> {
    await this.env.sleep(ms);
  }

  async close(): Promise<void> {
    await this.stopWorker();
    await this.fake.stop();
    await this.env.teardown();
  }
}

function tokenOf(bot: string): string {
  return `${100_000 + bot.length}:TEST-TOKEN-OF-${bot}-abcdefghijklmnopqrstuvw`;
}
