import { once } from 'node:events';
import type { Command } from 'commander';
import { ReplylaneError } from '../../client/errors.ts';
import { watchConfig } from '../../config/config-watch.ts';
import { LiveConfig } from '../../config/live-config.ts';
import { type Config, loadConfig } from '../../config/load.ts';
import { readWhole } from '../duration.ts';
import { type ExitCode, UsageError, exitCode } from '../exit-code.ts';
import {
  type ReadReviewers,
  basicAuthentication,
  reviewersOf,
  reviewersVariable,
} from '../serve/reviewers.ts';
import { SecretReader, apiTokenSource, apiTokenVariable, requireApiToken } from '../serve/secrets.ts';
import { type Cli, contractsOf, withLiveReplies } from '../session.ts';
import { stopSignal } from '../worker-run.ts';

interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly apiTokenFile?: string;
  readonly review?: boolean;
  readonly reviewDecide?: boolean;
  readonly reviewContent?: boolean;
  readonly reviewersFile?: string;
}

export function addServe(program: Command, cli: Cli, end: (code: ExitCode) => void): void {
  program
    .command('serve')
    .description(
      'HTTP: POST /webhooks/<bot> (a sample that echoes), POST /v1/replies, GET /v1/replies/<bot>/<key>, the review page, until stopped',
    )
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 for any that is free', readWhole(0, 65_535), 8080)
    .option('--api-token-file <path>', `file with the token of /v1; else it is in ${apiTokenVariable}`)
    .option('--review', 'serve the review page at /review; it only shows')
    .option('--review-decide', 'serve it, and take decisions on it')
    .option('--review-content', 'text and destination of a reply can be asked for there')
    .option(
      '--reviewers-file <path>',
      `file with name:password of each who may open it; else they are in ${reviewersVariable}`,
    )
    .action(async (options: ServeOptions) => end(await serve(cli, options)));
}

async function serve(cli: Cli, options: ServeOptions): Promise<ExitCode> {
  const config = loadConfig(undefined, cli.env);
  const secrets = new SecretReader(cli.env);
  const apiToken = apiTokenSource(cli.env, options.apiTokenFile);
  if (apiToken) requireApiToken(secrets, apiToken);
  else
    cli.output.note(
      `/v1/replies is off, since there is no token for it: set ${apiTokenVariable}, or give --api-token-file`,
    );
  const reviewers = reviewersFor(cli, options);
  const stop = stopSignal();
  const live = new LiveConfig(config, cli.env);
  const contracts: Record<string, string> = { ...contractsOf(config) };
  return withLiveReplies(cli, { keys: () => live.keys, contracts }, async (replies) => {
    // Loaded when needed, as everything that most commands do without.
    const [
      { reviewPage },
      { createApp, reviewPath },
      { listen },
      { RareNotes },
      { webhookPath, webhooksOf },
    ] = await Promise.all([
      import('../../client/review-page/index.ts'),
      import('../serve/app.ts'),
      import('../serve/listen.ts'),
      import('../../activities/rare-notes.ts'),
      import('../serve/webhooks.ts'),
    ]);
    const note = (text: string): void => cli.output.note(text);
    const rareNotes = new RareNotes({ note });
    const deps = { replies, secrets, note, rareNotes };
    const webhooks = new Map(webhooksOf(live.bots.values(), deps));
    if (webhooks.size === 0) note(noWebhooks(config));
    const onFailure = (error: unknown): void => {
      const words = failureWords(error);
      rareNotes.tell(words, `a request failed: ${words}`);
    };
    const shownBots = [...live.bots.keys()];
    const review =
      reviewers &&
      reviewPage({
        replies,
        authenticate: basicAuthentication(reviewers, (why) => note(`the review page is closed: ${why}`)),
        bots: shownBots,
        canDecide: options.reviewDecide === true,
        showContent: options.reviewContent === true,
        onFailure,
      });
    const app = createApp({
      replies,
      webhooks,
      ...(apiToken ? { apiToken: secrets.secretAt(apiToken) } : {}),
      ...(review ? { review } : {}),
      onFailure,
    });
    const listening = await listen({ fetch: app.fetch, host: options.host, port: options.port });
    const watch = watchConfig({
      inForce: () => live.config,
      log: note,
      take: (next) => {
        live.take(next);
        replaceAll(webhooks, webhooksOf(live.bots.values(), deps));
        for (const bot of Object.keys(contracts)) delete contracts[bot];
        Object.assign(contracts, contractsOf(next));
        shownBots.splice(0, shownBots.length, ...next.bots.keys());
      },
    });
    const paths = Object.fromEntries([...webhooks.keys()].map((bot) => [bot, webhookPath(bot)]));
    const pages = review ? { review: reviewPath } : {};
    cli.output.answer({ url: listening.url, webhooks: paths, ...pages }, () =>
      [
        `Listening  ${listening.url}`,
        ...Object.values(paths).map((path) => `Webhook    ${path}`),
        ...Object.values(pages).map((path) => `Review     ${path}`),
      ].join('\n'),
    );
    note('ready; Ctrl-C stops it');
    if (!stop.aborted) await once(stop, 'abort');
    watch.stop();
    note('finishing what was taken');
    await listening.stop();
    note('stopped');
    return exitCode.done;
  });
}

/** Who may open the review page; undefined where none is asked for. */
function reviewersFor({ env, output }: Cli, options: ServeOptions): ReadReviewers | undefined {
  const { review, reviewDecide, reviewContent, reviewersFile, host } = options;
  if (!review && !reviewDecide) {
    if (reviewContent || reviewersFile !== undefined)
      throw new UsageError('--review-content and --reviewers-file go with --review or --review-decide');
    return undefined;
  }
  const reviewers = reviewersOf(env, reviewersFile);
  if (!/^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host))
    output.note(`warning: passwords of the review page come in plain text: put TLS before ${host}`);
  return reviewers;
}

function replaceAll<K, V>(map: Map<K, V>, by: ReadonlyMap<K, V>): void {
  map.clear();
  for (const [key, value] of by) map.set(key, value);
}

/** Of our own errors only the words are known to repeat nothing that was sent (invariant 8). */
function failureWords(error: unknown): string {
  if (error instanceof ReplylaneError) return error.message;
  return error instanceof Error ? error.name : 'something that is no Error was thrown';
}

function noWebhooks({ path }: Config): string {
  return `there are no webhooks: no bot in ${path} has webhookSecretFile or webhookSecretEnv`;
}
