import type { PayloadKeys } from '../client/codec/payload-keys.ts';
import type { BotConfig } from './bot-config.ts';
import { readPayloadKeys } from './encryption.ts';
import type { Config, Environment } from './load.ts';

/** The configuration in force in a process that goes on while its file changes. */
export class LiveConfig {
  readonly #env: Environment;
  readonly #bots: Map<string, BotConfig>;
  #config: Config;
  #keys: PayloadKeys;

  /** Throws a `PayloadKeyError` where the keys cannot be read. */
  constructor(config: Config, env: Environment) {
    this.#env = env;
    this.#config = config;
    this.#keys = readPayloadKeys(config.encryption, env);
    this.#bots = new Map(config.bots);
  }

  get config(): Config {
    return this.#config;
  }

  /** Always the same map: what it holds changes. */
  get bots(): ReadonlyMap<string, BotConfig> {
    return this.#bots;
  }

  get keys(): PayloadKeys {
    return this.#keys;
  }

  /** Puts another configuration in force, or throws and leaves the one that is. */
  take(next: Config): void {
    this.#keys = readPayloadKeys(next.encryption, this.#env);
    this.#config = next;
    this.#bots.clear();
    for (const [name, bot] of next.bots) this.#bots.set(name, bot);
  }
}
