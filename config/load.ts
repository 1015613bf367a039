import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { contractOf } from '../contracts/index.ts';
import { readApiRoot } from './api-root.ts';
import type { BotConfig, BotLimits, TokenSource } from './bot-config.ts';
import type { EncryptionConfig } from './encryption.ts';
import { readJson } from './json-text.ts';
import { ConfigError, fieldPath } from './problem.ts';
import type { ConfigProblem } from './problem.ts';
import { ruleProblems } from './rules.ts';
import { configSchema } from './schema.ts';
import type { BotInFile, EncryptionInFile } from './schema.ts';
import { schemaProblems } from './schema-problems.ts';
import { defaultLimits, numberSettings, safeHttpTimeoutMs } from './settings.ts';

/** A configuration that was read and found right. */
export interface Config {
  /** Absolute path of the file. */
  readonly path: string;
  readonly bots: ReadonlyMap<string, BotConfig>;
  /** Undefined: payloads are written as they are. */
  readonly encryption: EncryptionConfig | undefined;
  /** What is allowed, but probably not meant. */
  readonly warnings: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the configuration is: the given path, else `REPLYLANE_CONFIG`, else `replylane.config.json` in this folder. */
export function configPath(path?: string, env: Environment = process.env): string {
  return resolve(path || env['REPLYLANE_CONFIG'] || 'replylane.config.json');
}

/** Reads and checks the configuration. Throws a `ConfigError` that names every problem at once. Reads no secret. */
export function loadConfig(path?: string, env: Environment = process.env): Config {
  const file = configPath(path, env);
  return parseConfig(readText(file), file);
}

/** Checks the text of a configuration file that stands at `path`. */
export function parseConfig(text: string, path: string): Config {
  const reading = readJson(text.replace(/^\uFEFF/, ''));
  if (reading.kind === 'syntax') {
    const place = `line ${reading.line}, column ${reading.column}`;
    throw new ConfigError(path, [{ field: '', problem: `${place}: not valid JSON: ${reading.problem}` }]);
  }
  const problems: ConfigProblem[] = reading.duplicates.map((field) => ({
    field: fieldPath(field),
    problem: 'is given twice: keep one of them',
  }));
  const parsed = configSchema.safeParse(reading.value);
  if (!parsed.success) problems.push(...schemaProblems(parsed.error, reading.value));
  problems.push(...ruleProblems(reading.value));
  if (!parsed.success || problems.length > 0) throw new ConfigError(path, problems);
  const bots = Object.entries(parsed.data.bots).map(([name, bot]) => completed(name, bot, path));
  return {
    path,
    bots: new Map(bots.map((bot) => [bot.name, bot])),
    encryption: parsed.data.encryption && completedEncryption(parsed.data.encryption, path),
    warnings: bots.flatMap(warningsOf),
  };
}

function completedEncryption({ writeKey, keys }: EncryptionInFile, path: string): EncryptionConfig {
  const places = Object.entries(keys).map(
    ([id, { keyFile, keyEnv }]) => [id, secretSource(path, keyFile, keyEnv) ?? noSource] as const,
  );
  return { writeKey, keys: new Map(places) };
}

/** Never used: that one of both is given was checked. */
const noSource: TokenSource = { kind: 'env', variable: '' };

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const problem =
      code === 'ENOENT'
        ? 'there is no such file: copy examples/replylane.config.json there and edit it, or name another file in REPLYLANE_CONFIG'
        : `cannot be read (${code}): it must be a file that this user may read`;
    throw new ConfigError(path, [{ field: '', problem }]);
  }
}

function completed(name: string, bot: BotInFile, path: string): BotConfig {
  const {
    tokenFile,
    tokenEnv,
    webhookSecretFile,
    webhookSecretEnv,
    accountId = null,
    apiRoot,
    allowInsecureHttp,
    limits,
    connectTimeoutMs,
    ...settings
  } = bot;
  const root = readApiRoot(apiRoot ?? contractOf(bot.contract)?.defaultApiRoot ?? '', allowInsecureHttp);
  const token = secretSource(path, tokenFile, tokenEnv) ?? noSource;
  return {
    ...settings,
    name,
    token,
    webhookSecret: secretSource(path, webhookSecretFile, webhookSecretEnv),
    account: accountId,
    apiRoot: root.kind === 'root' ? root.apiRoot : '',
    limits: completedLimits(limits ?? {}),
    connectTimeoutMs:
      connectTimeoutMs ?? Math.min(numberSettings.connectTimeoutMs.default, bot.httpTimeoutMs),
  };
}

/** Where a secret is; a file is found from the folder of the configuration. */
function secretSource(
  path: string,
  file: string | undefined,
  variable: string | undefined,
): TokenSource | undefined {
  if (file !== undefined) return { kind: 'file', path: resolve(dirname(path), file) };
  return variable === undefined ? undefined : { kind: 'env', variable };
}

/** A scope that is left out keeps its default; only an empty list, or "none" for all, turns pacing off. */
function completedLimits({ bot, chat, group }: NonNullable<BotInFile['limits']>): BotLimits {
  return {
    bot: bot ?? defaultLimits.bot,
    chat: chat ?? defaultLimits.chat,
    group: group ?? defaultLimits.group,
  };
}

function warningsOf({ name, httpTimeoutMs, limits }: BotConfig): readonly string[] {
  const warnings: string[] = [];
  if (httpTimeoutMs < safeHttpTimeoutMs)
    warnings.push(
      `${fieldPath(['bots', name, 'httpTimeoutMs'])}: under ${safeHttpTimeoutMs} a slow success may end as unknown and wait for a person`,
    );
  const unpaced = (['bot', 'chat', 'group'] as const).filter((scope) => limits[scope].length === 0);
  if (unpaced.length > 0)
    warnings.push(
      `${fieldPath(['bots', name, 'limits'])}: no pacing for ${unpaced.join(', ')}; a 429 is still obeyed`,
    );
  return warnings;
}
