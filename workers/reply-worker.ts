import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Client, type Connection } from '@temporalio/client';
import {
  NativeConnection,
  type NativeConnectionOptions,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import { createActivities } from '../activities/create.ts';
import { createLaneClient } from '../activities/lane-client.ts';
import { type Observe, harmless } from '../activities/observe.ts';
import { createReplyMessages } from '../activities/reply-messages.ts';
import { createTransport } from '../activities/transport.ts';
import { payloadCodec } from '../client/codec/payload-codec.ts';
import { connectTemporal } from '../client/connect.ts';
import { connectionSettings } from '../client/connection-settings.ts';
import type { BotConfig } from '../config/bot-config.ts';
import { watchConfig } from '../config/config-watch.ts';
import { LiveConfig } from '../config/live-config.ts';
import type { Config, Environment } from '../config/load.ts';
import { TokenReader } from '../config/secrets.ts';
import { sharedTokenWarnings } from '../config/shared-tokens.ts';
import { laneTaskQueue, taskQueue } from '../workflows/names.ts';
import { auditSinks } from './audit.ts';
import { bootWarnings } from './boot-checks.ts';
import { type Monitor, type MonitorOptions, startMonitor } from './monitor.ts';
import { runBoth } from './run-both.ts';
import { ensureSearchAttributes } from './search-attributes.ts';
import type { WorkerVersion } from './settings.ts';

export interface ReplyWorkerOptions {
  readonly config: Config;
  readonly env?: Environment;
  /** Ends the worker: what is being sent is finished first. */
  readonly shutdown?: AbortSignal;
  readonly log?: (line: string, level?: 'info' | 'error') => void;
  /** Looks at the configuration's file again and again, and goes by what it says then. Off by default. */
  readonly rereadConfig?: boolean;
  /** Hears what this process sees happen: each attempt, each change of a lane. */
  readonly observe?: Observe;
  /** Takes only the tasks of this version of the deployment; any, if there is none. */
  readonly version?: WorkerVersion | null;
  /** Serves `/metrics`, `/healthz` and `/readyz` there, from the start to the end. */
  readonly metrics?: MonitorOptions;
  /** Called once the lanes run and the worker takes work. */
  readonly onReady?: () => void;
}

/**
 * Runs a worker until `shutdown`. Rejects if Temporal cannot be reached at start, or the worker fails. Everything that
 * must be so before work is taken (search attributes, one lane for each bot) is done first.
 */
export async function runReplyWorker(options: ReplyWorkerOptions): Promise<void> {
  const bots = [...options.config.bots.values()];
  const monitor = options.metrics && (await startMonitor(options.metrics, bots));
  try {
    await runMonitored(options, monitor);
  } finally {
    await monitor?.close();
  }
}

async function runMonitored(options: ReplyWorkerOptions, monitor: Monitor | undefined): Promise<void> {
  const { config, shutdown, onReady } = options;
  const env = options.env ?? process.env;
  const log: NonNullable<ReplyWorkerOptions['log']> =
    options.log ?? ((line) => void process.stderr.write(`${line}\n`));
  if (monitor)
    log(`metrics: ${monitor.url}/metrics; health: ${monitor.url}/healthz and ${monitor.url}/readyz`);
  // The client's settings and words: what it refuses, such as a key without TLS, a worker must refuse too.
  const { namespace, connection: settings } = connectionSettings(env);
  const live = new LiveConfig(config, env);
  const codec = payloadCodec(() => live.keys);
  const dataConverter = { payloadCodecs: [codec] };
  const connection = (await connectTemporal({ env, codec })).connection as Connection;
  const { channelArgs: _, ...nativeSettings } = settings;
  const native = await NativeConnection.connect(nativeSettings as NativeConnectionOptions);
  const transport = createTransport();
  let watch: ReturnType<typeof watchConfig> | undefined;
  try {
    for (const warning of [...config.warnings, ...(await bootWarnings(native, namespace))])
      log(`warning: ${warning}`);
    const attributes = await ensureSearchAttributes(connection, namespace, log);
    const tokens = new TokenReader({ env });
    const tellTokens = (bots: readonly BotConfig[]): void => {
      for (const bot of bots) {
        const reading = tokens.read(bot);
        if (reading.kind === 'missing')
          log(`warning: this worker cannot send for the bot ${bot.name}: ${reading.why}`);
      }
      for (const warning of sharedTokenWarnings(bots, (bot) => tokens.read(bot))) log(`warning: ${warning}`);
    };
    tellTokens([...live.bots.values()]);
    const identity = `${process.pid}@${hostname()}`;
    const client = new Client({ connection, namespace, identity, dataConverter });
    monitor?.follow(client);
    const lanes = createLaneClient(client);
    // A bot's first reply must find a lane that is older than it: a younger one cannot know what was claimed (rule 5).
    for (const bot of config.bots.keys()) await lanes.ensure(bot);
    const observers = [harmless(options.observe), harmless(monitor?.observe)];
    const activities = createActivities({
      worker: identity,
      attributes,
      bots: live.bots,
      token: (bot) => tokens.read(bot),
      transport,
      lanes,
      replies: createReplyMessages(client),
      log,
      observe: (seen) => observers.forEach((observe) => observe(seen)),
    });
    const place = { connection: native, namespace, identity, dataConverter, ...versioning(options.version) };
    const laneWorker = await Worker.create({ ...laneWorkerOptions(), ...place });
    const sinks = auditSinks(log);
    const worker = await Worker.create({ ...workerOptions(), ...place, activities, sinks });
    if (options.rereadConfig === true) {
      watch = watchConfig({
        inForce: () => live.config,
        log,
        take: async (next) => {
          for (const bot of next.bots.keys()) if (!live.bots.has(bot)) await lanes.ensure(bot);
          live.take(next);
          tellTokens([...live.bots.values()]);
        },
      });
    }
    monitor?.watch({ replies: worker, lanes: laneWorker });
    await runBoth(worker, laneWorker, shutdown, onReady);
  } finally {
    watch?.stop();
    await transport.close();
    await connection.close();
    await native.close();
  }
}

/** Open workflows go to the version that is current: a reply waits for longer than any version lives. */
function versioning(
  version: WorkerVersion | null | undefined,
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (!version) return {};
  return {
    workerDeploymentOptions: {
      version,
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

/**
 * The lanes' worker. It has few polls: each that a frozen process has open takes one task, and a lane's tasks come one
 * after the other (rule 15).
 */
export function laneWorkerOptions(): Omit<WorkerOptions, 'connection'> {
  return {
    taskQueue: laneTaskQueue,
    ...workflowTasks(),
    maxConcurrentWorkflowTaskPolls: 4,
  };
}

/** The time-outs of a worker, each with its reason in rule 15: HTTP 20 s < grace < force < the orchestrator's kill. */
export function workerOptions(): Omit<WorkerOptions, 'connection' | 'activities'> {
  return {
    taskQueue,
    ...workflowTasks(),
    // Where a busy server hands a task over later than this, it goes to the common queue, costs a replay, and so makes all
    // others later (decision 014). After a kill, what that worker kept waits as long.
    stickyQueueScheduleToStartTimeout: '5s',
    shutdownGraceTime: '30s',
    shutdownForceTime: '45s',
    // At the default of two pollers for the common queue, a busy machine lets starts wait there for seconds.
    maxConcurrentWorkflowTaskPolls: 20,
    // A cancellation reaches a waiting activity with its next heartbeat.
    maxHeartbeatThrottleInterval: '2s',
    defaultHeartbeatThrottleInterval: '2s',
    maxConcurrentActivityTaskExecutions: 100,
  };
}

/** Workflows of either worker: soon after it was killed their tasks go elsewhere, so more of them come to the common queue. */
function workflowTasks(): Omit<WorkerOptions, 'connection' | 'taskQueue'> {
  return {
    ...workflowSource(),
    stickyQueueScheduleToStartTimeout: '1s',
    nonStickyToStickyPollRatio: 0.5,
  };
}

/** The prebuilt bundle beside the compiled code; the sources where there is none. */
function workflowSource(): Pick<WorkerOptions, 'workflowBundle'> | Pick<WorkerOptions, 'workflowsPath'> {
  const bundle = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
  if (existsSync(bundle)) return { workflowBundle: { codePath: bundle } };
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return { workflowsPath: fileURLToPath(new URL(`../workflows/index.${extension}`, import.meta.url)) };
}
