import { existsSync } from 'node:fs';
import type { ContractsByBot, PayloadKeys, ReplyClient } from '../client/index.ts';
import { readPayloadKeys } from '../config/encryption.ts';
import { type Config, configPath, loadConfig } from '../config/load.ts';
import { UsageError } from './exit-code.ts';
import type { Output } from './output.ts';

/** What all commands share: where they print, and their environment. */
export interface Cli {
  readonly output: Output;
  readonly env: NodeJS.ProcessEnv;
}

/** The configuration where there is one. Throws a `ConfigError` for a bad one, or one that is named but missing. */
export function configIfAny(env: NodeJS.ProcessEnv): Config | undefined {
  return env['REPLYLANE_CONFIG'] || existsSync(configPath(undefined, env))
    ? loadConfig(undefined, env)
    : undefined;
}

/** The same for commands that only show more with it: a bad one is a note. */
export function configForShow({ env, output }: Cli): Config | undefined {
  try {
    return configIfAny(env);
  } catch (error) {
    output.note(
      `going on without the configuration: ${error instanceof Error ? error.message : String(error)}`,
    );
    return undefined;
  }
}

export function contractsOf(config: Config | undefined): ContractsByBot {
  return (
    config && Object.fromEntries([...config.bots.values()].map(({ name, contract }) => [name, contract]))
  );
}

/** Connects, lets a command do its work, and closes. */
export async function withReplies<T>(
  cli: Cli,
  config: Config | undefined,
  work: (replies: ReplyClient) => Promise<T>,
): Promise<T> {
  const keys = readPayloadKeys(config?.encryption, cli.env);
  return withLiveReplies(cli, { keys: () => keys, contracts: contractsOf(config) }, work);
}

/** The same for a command that goes on while its configuration changes. */
export async function withLiveReplies<T>(
  cli: Cli,
  live: { readonly keys: () => PayloadKeys; readonly contracts: ContractsByBot },
  work: (replies: ReplyClient) => Promise<T>,
): Promise<T> {
  // Loaded when needed: it takes longer than all else, and a mistake in the options should be told at once.
  const { ReplyClient: Replies, connectTemporal, payloadCodec } = await import('../client/index.ts');
  const codec = payloadCodec(live.keys);
  const client = await connectTemporal({ env: cli.env, codec });
  try {
    return await work(new Replies(client, { contracts: live.contracts }));
  } finally {
    await client.connection.close();
  }
}

/**
 * A reply for a bot that nobody serves would wait unseen, so a bot must be in the configuration, or (on a machine
 * without one) have a lane already.
 */
export async function requireBots(
  replies: ReplyClient,
  config: Config | undefined,
  bots: Iterable<string>,
): Promise<void> {
  if (config) return;
  for (const bot of new Set(bots)) {
    if (await replies.lane(bot).exists()) continue;
    throw new UsageError(
      `bot "${bot}" is not known: there is no configuration here, and no worker has served that bot yet. ` +
        'Copy examples/replylane.config.json to replylane.config.json and edit it, or name a file in REPLYLANE_CONFIG',
    );
  }
}
