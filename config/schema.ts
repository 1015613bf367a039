import { z } from 'zod';
import { contractNames } from '../contracts/index.ts';
import { expiresAfter, maxWindows, numberSettings, policyHours, windowBounds } from './settings.ts';
import type { NumberSetting, NumberSettingName } from './settings.ts';

/** Shape of `replylane.config.json`. What one field says about another is checked in `rules.ts`. */

function wholeNumber(bounds: { readonly min: number; readonly max: number }, unit = ''): z.ZodNumber {
  const error = `must be a whole number${unit} from ${bounds.min} to ${bounds.max}`;
  return z.number({ error }).int({ error }).min(bounds.min, { error }).max(bounds.max, { error });
}

function setting(name: NumberSettingName): z.ZodDefault<z.ZodNumber> {
  const { default: value, ...bounds }: NumberSetting = numberSettings[name];
  return wholeNumber(bounds, name.endsWith('Ms') ? ' of milliseconds' : '').default(value);
}

const window = z.strictObject(
  { limit: wholeNumber(windowBounds.limit), perMs: wholeNumber(windowBounds.perMs, ' of milliseconds') },
  { error: 'must be an object such as { "limit": 1, "perMs": 1000 }' },
);

const windowsError = `must be a list of at most ${maxWindows} windows such as [{ "limit": 1, "perMs": 1000 }], or [] for no pacing`;
const windows = z.array(window, { error: windowsError }).max(maxWindows, { error: windowsError }).optional();

const noLimits = { bot: [], chat: [], group: [] };
const limits = z.preprocess(
  (value) => (value === 'none' ? noLimits : value),
  z.strictObject(
    { bot: windows, chat: windows, group: windows },
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
      .max(policyHours.max, { error: hoursError }),
    decision: z.enum(['sent', 'not_sent', 'cancel'], { error: policyDecisionError }),
  },
  { error: 'must be an object such as { "afterHours": 48, "decision": "not_sent" }' },
);

const bot = z.strictObject(
  {
    contract: z.enum(contractNames as [string, ...string[]], { error: contractError }),
    tokenFile: fileReference('token'),
    tokenEnv: variableReference('token'),
    webhookSecretFile: fileReference('webhook secret'),
    webhookSecretEnv: variableReference('webhook secret'),
    accountId: z.string({ error: 'must be the id of the connected account, such as "acc_…"' }).optional(),
    apiRoot: z.string({ error: 'must be a URL, such as "https://api.telegram.org"' }).optional(),
    allowInsecureHttp: z.boolean({ error: 'must be true or false' }).default(false),
    limits: limits.optional(),
    httpTimeoutMs: setting('httpTimeoutMs'),
    // Its default depends on httpTimeoutMs.
    connectTimeoutMs: setting('connectTimeoutMs').unwrap().optional(),
    claimLifeMs: setting('claimLifeMs'),
    maxAttempts: setting('maxAttempts'),
    maxFloods: setting('maxFloods'),
    reviewAfterAgeMs: setting('reviewAfterAgeMs'),
    expiresAfterMs: wholeNumber(expiresAfter, ' of milliseconds').nullable().default(null),
    reviewPolicy: reviewPolicy.nullable().default(null),
    heldPauseMs: setting('heldPauseMs'),
    unreachedBackoffMinMs: setting('unreachedBackoffMinMs'),
    unreachedBackoffMaxMs: setting('unreachedBackoffMaxMs'),
    minAttemptGapMs: setting('minAttemptGapMs'),
    maxOutstanding: setting('maxOutstanding'),
  },
  { error: 'must be an object with the settings of the bot' },
);

const keyIdError = 'must be 1 to 64 of A-Z, a-z, 0-9, ".", "_" and "-"';
const keyId = z.string({ error: keyIdError }).regex(/^[A-Za-z0-9._-]{1,64}$/, { error: keyIdError });
const keyError = 'must have either keyFile or keyEnv, such as { "keyFile": "secrets/payload-key" }';
const payloadKey = z
  .strictObject(
    { keyFile: fileReference('payload key'), keyEnv: variableReference('payload key') },
    { error: keyError },
  )
  .refine(({ keyFile, keyEnv }) => (keyFile === undefined) !== (keyEnv === undefined), { error: keyError });
const encryption = z
  .strictObject(
    {
      keyId,
      keys: z.record(keyId, payloadKey, { error: 'must be an object: where each key is, under its id' }),
    },
    {
      error:
        'must be an object such as { "keyId": "a", "keys": { "a": { "keyFile": "secrets/payload-key" } } }',
    },
  )
  .refine((value) => Object.hasOwn(value.keys, value.keyId), {
    path: ['keyId'],
    error: 'must be the id of one of the keys',
  });

export const configSchema = z.strictObject(
  {
    $schema: z.string({ error: 'must be the address of a JSON schema, for editors' }).optional(),
    encryption: encryption.optional(),
    bots: z.record(z.string(), bot, { error: 'must be an object: the settings of each bot under its name' }),
  },
  { error: 'must be an object such as { "bots": { … } }' },
);

export type ConfigInFile = z.output<typeof configSchema>;
/** A bot as it stands in the file, checked, with the defaults that depend on nothing else. */
export type BotInFile = z.output<typeof bot>;

/** Names that may stand in an object of the file, for suggestions. */
export function namesAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(configSchema.shape);
  if (path[0] === 'encryption')
    return path.length === 1 ? Object.keys(encryption.shape) : Object.keys(payloadKey.shape);
  if (path.length === 2) return Object.keys(bot.shape);
  if (path.length === 3 && path[2] === 'reviewPolicy') return Object.keys(reviewPolicy.shape);
  if (path.length === 3) return ['bot', 'chat', 'group'];
  return Object.keys(window.shape);
}
