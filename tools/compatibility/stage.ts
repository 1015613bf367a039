import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReplyClient, connectTemporal } from '../../client/index.ts';
import { assertLoopback } from '../../test/support/loopback.ts';
import { DemoWorker } from '../demo/worker.ts';
import { startDevServer } from '../temporal/launcher.ts';

export interface StageBot {
  readonly apiRoot: string;
  readonly token: string;
}

/** Temporal and a worker process, as they run for a real bot; only the services are foreign. */
export interface Stage {
  readonly replies: ReplyClient;
  /** Rejects when the worker ends by itself. Never resolves. */
  readonly failure: Promise<never>;
  close(): Promise<void>;
}

/** Bots have all the default settings: the limits of Telegram too. */
export async function openStage(bots: Readonly<Record<string, StageBot>>): Promise<Stage> {
  for (const { apiRoot } of Object.values(bots)) assertLoopback(apiRoot);
  const folder = mkdtempSync(join(tmpdir(), 'replylane-compatibility-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  const server = await startDevServer();
  const env = environment(folder, server.address, bots);
  const worker = new DemoWorker(1, env);
  const failure = worker.endedByItself.then((how) => Promise.reject(new Error(how)));
  failure.catch(() => {});
  const close = async (): Promise<void> => {
    await worker.kill();
    await server.stop();
  };
  try {
    const [client] = await Promise.all([connectTemporal({ env, connectTimeoutMs: 20_000 }), worker.ready]);
    return { replies: new ReplyClient(client), failure, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** This process's environment, less every setting of Temporal and of the project in it, with those of the stage. */
function environment(
  folder: string,
  address: string,
  bots: Readonly<Record<string, StageBot>>,
): NodeJS.ProcessEnv {
  const variable = (name: string): string => `COMPATIBILITY_${name.toUpperCase().replaceAll('-', '_')}`;
  const configured = Object.entries(bots).map(([name, { apiRoot }]) => [
    name,
    { contract: 'telegram', tokenEnv: variable(name), apiRoot },
  ]);
  const config = join(folder, 'replylane.config.json');
  writeFileSync(config, JSON.stringify({ bots: Object.fromEntries(configured) as unknown }));
  // Settings of Temporal that this machine's user has elsewhere must not lead there.
  const temporalConfig = join(folder, 'temporal.toml');
  writeFileSync(temporalConfig, '[profile.default]\n');
  const others = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL|REPLYLANE)_/.test(name));
  const tokens = Object.entries(bots).map(([name, { token }]) => [variable(name), token]);
  return {
    ...Object.fromEntries([...others, ...tokens] as [string, string][]),
    TEMPORAL_ADDRESS: address,
    TEMPORAL_CONFIG_FILE: temporalConfig,
    REPLYLANE_CONFIG: config,
    // A proxy set for the outside must not be asked for what is on this machine.
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
  };
}
