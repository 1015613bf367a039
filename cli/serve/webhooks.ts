import {
  type Intake,
  type IntakeProblem,
  type ReplyRequest,
  type ReplySender,
  type Secret,
  qivunaIntake,
  telegramIntake,
  unifyportIntake,
} from '../../client/index.ts';
import type { RareNotes } from '../../activities/rare-notes.ts';
import type { BotConfig } from '../../config/bot-config.ts';
import { type Echo, echoes } from './echo.ts';
import type { SecretReader } from './secrets.ts';

export interface WebhookDeps {
  readonly replies: ReplySender;
  readonly secrets: SecretReader;
  /** Told to the operator: never with a secret, or with what an update says. */
  readonly note: (text: string) => void;
  /** The same, for what comes with deliveries. */
  readonly rareNotes: RareNotes;
}

interface Mount extends Pick<WebhookDeps, 'replies'> {
  readonly bot: string;
  readonly secret: Secret;
  readonly respond: (update: unknown) => ReplyRequest | null;
  readonly onProblem: (problem: IntakeProblem) => void;
}

const intakes: Readonly<Record<string, (mount: Mount, account: string | null) => Intake>> = {
  telegram: ({ secret, ...rest }) => telegramIntake({ secretToken: secret, ...rest }),
  qivuna: ({ secret, ...rest }) => qivunaIntake({ secretToken: secret, ...rest }),
  unifyport: ({ secret, ...rest }, account) =>
    unifyportIntake({ signingSecret: secret, accountId: account ?? '', ...rest }),
};

export function webhookPath(bot: string): string {
  return `/webhooks/${bot}`;
}

/** The webhook of each bot that has a secret for one. A secret that cannot be read is told, and answered 503 until it is. */
export function webhooksOf(bots: Iterable<BotConfig>, deps: WebhookDeps): ReadonlyMap<string, Intake> {
  const webhooks = new Map<string, Intake>();
  for (const bot of bots) {
    const { name, contract, account, webhookSecret } = bot;
    if (webhookSecret === undefined) continue;
    const [intake, echo] = [intakes[contract], echoes[contract]];
    if (!intake || !echo) {
      deps.note(`warning: no webhook for ${name}: there is none for the contract "${contract}"`);
      continue;
    }
    const reading = deps.secrets.read(webhookSecret);
    const problem = reading.kind === 'missing' ? reading.why : secretProblem(contract, reading.token);
    if (problem !== null) deps.note(`warning: the webhook of ${name} can take nothing: ${problem}`);
    webhooks.set(name, intake(mountOf(name, echo, deps, deps.secrets.secretAt(webhookSecret)), account));
  }
  return webhooks;
}

function mountOf(bot: string, echo: Echo, { replies, rareNotes }: WebhookDeps, secret: Secret): Mount {
  return {
    bot,
    replies,
    secret,
    respond: (update) => echo(update, bot),
    onProblem: ({ kind, key, problem }) =>
      rareNotes.tell(
        `${bot} ${kind} ${problem}`,
        `webhook of ${bot}: ${kind}${key === null ? '' : ` (${key})`}: ${problem}`,
      ),
  };
}

/** A secret that the service could never send. */
function secretProblem(contract: string, secret: string): string | null {
  if (contract !== 'telegram' || /^[A-Za-z0-9_-]{1,256}$/.test(secret)) return null;
  return 'its secret is none that setWebhook takes: use 1 to 256 of A-Z, a-z, 0-9, "_" and "-"';
}
