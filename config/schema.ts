import { z } from 'zod';
import { contractNames, contractOf } from '../contracts/index.ts';
import type { Window } from '../domain/lane/policy.ts';
import {
  defaultLimits,
  expiresAfter,
  maxWindows,
  numberSettings,
  policyHours,
  windowBounds,
} from './settings.ts';
import type { NumberSetting, NumberSettingName } from './settings.ts';

/**
 * Shape of `replylane.config.json`, and what each field means: `docs/configuration.md` is made of it. What one field says
 * about another is checked in `rules.ts`.
 */

/** A meaning, with the default in words where the schema itself cannot have one. */
function meaning(description: string, defaultWords: string): { description: string; 'x-default': string } {
  return { description, 'x-default': defaultWords };
}

function wholeNumber(bounds: { readonly min: number; readonly max: number }, unit = ''): z.ZodNumber {
  const error = `must be a whole number${unit} from ${bounds.min} to ${bounds.max}`;
  return z.number({ error }).int({ error }).min(bounds.min, { error }).max(bounds.max, { error });
}

function setting(name: NumberSettingName): z.ZodDefault<z.ZodNumber> {
  const { default: value, ...bounds }: NumberSetting = numberSettings[name];
  return wholeNumber(bounds, name.endsWith('Ms') ? ' of milliseconds' : '').default(value);
}

const window = z.strictObject(
  {
    limit: wholeNumber(windowBounds.limit).describe('Requests that may begin within the window'),
    perMs: wholeNumber(windowBounds.perMs, ' of milliseconds').describe(
      'Length of the window: a slot comes back so long after its answer',
    ),
  },
  { error: 'must be an object such as { "limit": 1, "perMs": 1000 }' },
);

const windowsError = `must be a list of at most ${maxWindows} windows such as [{ "limit": 1, "perMs": 1000 }], or [] for no pacing`;
function windows(scope: string, standard: readonly Window[]): z.ZodOptional<z.ZodArray<typeof window>> {
  const words = standard.map(({ limit, perMs }) => `${limit} in ${perMs} ms`).join(', ');
  return z
    .array(window, { error: windowsError })
    .max(maxWindows, { error: windowsError })
    .optional()
    .meta(meaning(`Windows of ${scope}, all in force at once; \`[]\` does not pace`, words));
}

const noLimits = { bot: [], chat: [], group: [] };
const limits = z.preprocess(
  (value) => (value === 'none' ? noLimits : value),
  z.strictObject(
    {
      bot: windows('all requests of the bot', defaultLimits.bot),
      chat: windows('one private chat', defaultLimits.chat),
      group: windows('one group or channel', defaultLimits.group),
    },
    { error: 'must be an object with bot, chat and group, or "none" for no pacing' },
  ),
);

const contractError = `must be the name of a contract: ${contractNames.map((name) => `"${name}"`).join(', ')}`;
// A token put here by mistake fails these, and no message repeats it.
const tokenLike = /\d{5,}:[A-Za-z0-9_-]{20,}/;

/** Where a secret is: never the secret itself (invariant 8). */
function fileReference(secret: string): z.ZodOptional<z.ZodString> {
  const error = `must be the path of a file that holds the ${secret}, relative to this file, and not the ${secret} itself`;
  return z
    .string({ error })
    .refine((path) => path.trim() !== '' && !path.includes('\0') && !tokenLike.test(path), { error })
    .optional();
}

function variableReference(secret: string): z.ZodOptional<z.ZodString> {
  const error = `must be the name of an environment variable (letters, digits and _), and not the ${secret} itself`;
  return z
    .string({ error })
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,254}$/, { error })
    .optional();
}

const hoursError = `must be a number of hours above 0, and ${policyHours.max} at most`;
const policyDecisionError =
  'must be "sent", "not_sent" or "cancel"; "resend" is for a person only, since it may send a second time';
const reviewPolicy = z.strictObject(
  {
    afterHours: z
      .number({ error: hoursError })
      .positive({ error: hoursError })
      .max(policyHours.max, { error: hoursError })
      .describe('Hours under review after which nobody has decided'),
    decision: z
      .enum(['sent', 'not_sent', 'cancel'], { error: policyDecisionError })
      .describe('What is decided then, on the record as `policy`; never where there is a late proof'),
  },
  { error: 'must be an object such as { "afterHours": 48, "decision": "not_sent" }' },
);

const apiRoots = contractNames.map((name) => `${name}: ${contractOf(name)?.defaultApiRoot}`).join('; ');
const connectMs = numberSettings.connectTimeoutMs.default;

const bot = z.strictObject(
  {
    contract: z
      .enum(contractNames as [string, ...string[]], { error: contractError })
      .describe('The service, and how its answers are read'),
    tokenFile: fileReference('token').describe(
      'Path of a file that holds the token; read again when it changes. This or `tokenEnv` must be given',
    ),
    tokenEnv: variableReference('token').describe('Name of an environment variable that holds the token'),
    webhookSecretFile: fileReference('webhook secret').describe(
      'For `serve`: path of a file that holds the secret of the webhook (UnifyPort: the signing secret)',
    ),
    webhookSecretEnv: variableReference('webhook secret').describe(
      'For `serve`: name of an environment variable that holds it',
    ),
    accountId: z
      .string({ error: 'must be the id of the connected account, such as "acc_…"' })
      .optional()
      .describe('UnifyPort only, and needed there: the connected account, `acc_…`'),
    apiRoot: z
      .string({ error: 'must be a URL, such as "https://api.telegram.org"' })
      .optional()
      .meta(meaning('Root of the API, for a server of your own; `http://` on loopback only', apiRoots)),
    allowInsecureHttp: z
      .boolean({ error: 'must be true or false' })
      .default(false)
      .describe('Takes `http://` elsewhere too: the token travels unencrypted then'),
    limits: limits
      .optional()
      .meta(meaning('Pacing; `"none"` turns it off. A 429 is always obeyed', 'see below')),
    httpTimeoutMs: setting('httpTimeoutMs').describe(
      'From the start of a request to the end of its answer. What is cut off after it was written is `unknown`',
    ),
    // Its default depends on httpTimeoutMs.
    connectTimeoutMs: setting('connectTimeoutMs')
      .unwrap()
      .optional()
      .meta(
        meaning(
          'For the connection alone; not above `httpTimeoutMs`. What fails here is `unreached`, and tried again',
          `${connectMs}, or \`httpTimeoutMs\` where that is less`,
        ),
      ),
    claimLifeMs: setting('claimLifeMs').describe('How long a granted claim is good for'),
    maxAttempts: setting('maxAttempts').describe(
      'Attempts of one reply, then it goes to review as `budget`; floods, `unreached` and refusals of the bot do not count',
    ),
    maxFloods: setting('maxFloods').describe('Floods of one reply, then it goes to review as `budget`'),
    reviewAfterAgeMs: setting('reviewAfterAgeMs').describe(
      'Age of a reply that still waits, then it goes to review as `budget`',
    ),
    expiresAfterMs: wholeNumber(expiresAfter, ' of milliseconds')
      .nullable()
      .default(null)
      .describe('Expiry of a reply that names none, counted from its start; `null`: it has none'),
    reviewPolicy: reviewPolicy
      .nullable()
      .default(null)
      .describe('What is decided on a review if nobody does; `null`: it waits for a person, however long'),
    heldPauseMs: setting('heldPauseMs').describe(
      'Pause of the lane after a refusal for flood that named no usable delay',
    ),
    unreachedBackoffMinMs: setting('unreachedBackoffMinMs').describe(
      'Wait after the first `unreached`; doubled after each, with jitter',
    ),
    unreachedBackoffMaxMs: setting('unreachedBackoffMaxMs').describe('The longest such wait'),
    minAttemptGapMs: setting('minAttemptGapMs').describe('Least time between two attempts of one reply'),
    maxOutstanding: setting('maxOutstanding').describe('Requests of the bot without an answer'),
  },
  { error: 'must be an object with the settings of the bot' },
);

const payloadKey = z.strictObject(
  { keyFile: fileReference('key'), keyEnv: variableReference('key') },
  { error: 'must be an object such as { "keyFile": "secrets/payload-1" }' },
);

const encryption = z.strictObject(
  {
    writeKey: z
      .string({ error: 'must be the id of one of the keys, or null for no encryption of what is new' })
      .nullable()
      .describe('Id of the key that is written with; null: what is new stays as it is'),
    keys: z
      .record(z.string(), payloadKey, { error: 'must be an object: where each key is, under its id' })
      .describe('Where each key is that is read with, under its id'),
  },
  {
    error:
      'must be an object such as { "writeKey": "1", "keys": { "1": { "keyFile": "secrets/payload-1" } } }',
  },
);

export const configSchema = z.strictObject(
  {
    $schema: z
      .string({ error: 'must be the address of a JSON schema, for editors' })
      .optional()
      .describe('Passed over: for editors'),
    encryption: encryption
      .optional()
      .describe('Encrypts what Temporal keeps of a reply, but for ids and search attributes'),
    bots: z
      .record(z.string(), bot, { error: 'must be an object: the settings of each bot under its name' })
      .describe('The settings of each bot under its name: 1 to 32 of a-z, 0-9 and "-"'),
  },
  { error: 'must be an object such as { "bots": { … } }' },
);

/** A bot as it stands in the file, checked, with the defaults that depend on nothing else. */
export type BotInFile = z.output<typeof bot>;

export type EncryptionInFile = z.output<typeof encryption>;

/** Names that may stand in an object of the file, for suggestions. */
export function namesAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(configSchema.shape);
  if (path[0] === 'encryption') return Object.keys(path.length === 1 ? encryption.shape : payloadKey.shape);
  if (path.length === 2) return Object.keys(bot.shape);
  if (path.length === 3 && path[2] === 'reviewPolicy') return Object.keys(reviewPolicy.shape);
  if (path.length === 3) return ['bot', 'chat', 'group'];
  return Object.keys(window.shape);
}
