import { contractOf } from '../contracts/index.ts';
import { botNameProblem } from '../domain/ids.ts';
import { readApiRoot } from './api-root.ts';
import { fieldPath } from './problem.ts';
import type { ConfigProblem } from './problem.ts';
import { numberSettings } from './settings.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Problems that one field cannot show by itself. Read from the raw file, so that they are told together with those of
 * the schema, whatever else is wrong.
 */
export function ruleProblems(file: unknown): readonly ConfigProblem[] {
  return [...botProblems(file), ...encryptionProblems(own(file, 'encryption'))];
}

function botProblems(file: unknown): readonly ConfigProblem[] {
  const bots = own(file, 'bots');
  if (!isObject(bots)) return [];
  const names = Object.keys(bots);
  if (names.length === 0)
    return [{ field: 'bots', problem: 'has no bot: add one, such as "support": { … }' }];
  return names.flatMap((name) => {
    const nameProblem = botNameProblem(name) === undefined ? [] : [note(name, [], botNameWords)];
    const bot = bots[name];
    return isObject(bot)
      ? [
          ...nameProblem,
          ...tokenProblems(name, bot),
          ...webhookSecretProblems(name, bot),
          ...accountProblems(name, bot),
          ...apiRootProblems(name, bot),
          ...timeProblems(name, bot),
        ]
      : nameProblem;
  });
}

const botNameWords = 'is not a name for a bot: use 1 to 32 of a-z, 0-9 and "-"';

function tokenProblems(name: string, bot: Fields): readonly ConfigProblem[] {
  const given = ['tokenFile', 'tokenEnv'].filter((field) => Object.hasOwn(bot, field));
  if (given.length === 1) return [];
  const problem =
    given.length === 0
      ? 'has no token: add "tokenFile" (path of a file that holds it) or "tokenEnv" (name of an environment variable)'
      : 'has both tokenFile and tokenEnv: keep one of them';
  return [note(name, [], problem)];
}

function webhookSecretProblems(name: string, bot: Fields): readonly ConfigProblem[] {
  const given = ['webhookSecretFile', 'webhookSecretEnv'].filter((field) => Object.hasOwn(bot, field));
  if (given.length < 2) return [];
  return [note(name, [], 'has both webhookSecretFile and webhookSecretEnv: keep one of them')];
}

const keyIdPattern = /^[A-Za-z0-9._-]{1,64}$/;

/** The ids of keys stand in histories in plain text, so that they must be names and nothing else. */
function encryptionProblems(encryption: unknown): readonly ConfigProblem[] {
  const keys = own(encryption, 'keys');
  if (!isObject(keys)) return [];
  const writeKey = own(encryption, 'writeKey');
  const problems = Object.entries(keys).flatMap(([id, key]) => {
    const field = fieldPath(['encryption', 'keys', id]);
    if (!keyIdPattern.test(id))
      return [{ field, problem: 'is not an id for a key: use 1 to 64 of A-Z, a-z, 0-9, ".", "_" and "-"' }];
    const given = ['keyFile', 'keyEnv'].filter((name) => isObject(key) && Object.hasOwn(key, name));
    if (!isObject(key) || given.length === 1) return [];
    const words = given.length === 0 ? 'has no key: add' : 'has two keys: keep one of';
    return [
      { field, problem: `${words} "keyFile" (path of a file) or "keyEnv" (name of an environment variable)` },
    ];
  });
  if (typeof writeKey === 'string' && !Object.hasOwn(keys, writeKey))
    problems.push({
      field: 'encryption.writeKey',
      problem: 'is not the id of one of encryption.keys: add it there',
    });
  return problems;
}

function accountProblems(name: string, bot: Fields): readonly ConfigProblem[] {
  const contract = contractOf(String(own(bot, 'contract')));
  const account = own(bot, 'accountId') ?? null;
  if (!contract || (account !== null && typeof account !== 'string')) return [];
  const problem = contract.accountProblem(account);
  return problem === null ? [] : [note(name, ['accountId'], problem)];
}

function apiRootProblems(name: string, bot: Fields): readonly ConfigProblem[] {
  const apiRoot = own(bot, 'apiRoot');
  if (typeof apiRoot !== 'string') return [];
  const reading = readApiRoot(apiRoot, own(bot, 'allowInsecureHttp') === true);
  return reading.kind === 'problem' ? [note(name, ['apiRoot'], reading.problem)] : [];
}

function timeProblems(name: string, bot: Fields): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const connectMs = own(bot, 'connectTimeoutMs');
  const httpMs = numberOr(own(bot, 'httpTimeoutMs'), numberSettings.httpTimeoutMs.default);
  if (typeof connectMs === 'number' && connectMs > httpMs)
    problems.push(
      note(
        name,
        ['connectTimeoutMs'],
        `must not be above httpTimeoutMs (${httpMs}): lower it, or raise that`,
      ),
    );
  const minMs = numberOr(own(bot, 'unreachedBackoffMinMs'), numberSettings.unreachedBackoffMinMs.default);
  const maxMs = numberOr(own(bot, 'unreachedBackoffMaxMs'), numberSettings.unreachedBackoffMaxMs.default);
  if (minMs > maxMs)
    problems.push(
      note(
        name,
        ['unreachedBackoffMinMs'],
        `is ${minMs}, above unreachedBackoffMaxMs (${maxMs}): lower it, or raise that`,
      ),
    );
  return problems;
}

function note(name: string, path: readonly string[], problem: string): ConfigProblem {
  return { field: fieldPath(['bots', name, ...path]), problem };
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}

function own(value: unknown, field: string): unknown {
  return isObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
