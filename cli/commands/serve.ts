import { once } from 'node:events';
import type { Command } from 'commander';
import { ReplylaneError } from '../../client/errors.ts';
import { type Config, loadConfig } from '../../config/load.ts';
import { readWhole } from '../duration.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { SecretReader, apiTokenSource, apiTokenVariable, requireApiToken } from '../serve/secrets.ts';
import { type Cli, withReplies } from '../session.ts';
import { stopSignal } from '../worker-run.ts';

interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly apiTokenFile?: string;
}

export function addServe(program: Command, cli: Cli, end: (code: ExitCode) => void): void {
  program
    .command('serve')
    .description(
      'HTTP: POST /webhooks/<bot> (a sample that echoes), POST /v1/replies, GET /v1/replies/<bot>/<key>, until stopped',
    )
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 for any that is free', readWhole(0, 65_535), 8080)
    .option('--api-token-file <path>', `file with the token of /v1; else it is in ${apiTokenVariable}`)
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
  const stop = stopSignal();
  return withReplies(cli, config, async (replies) => {
    // Loaded when needed, as everything that most commands do without.
    const [{ createApp }, { listen }, { webhookPath, webhooksOf }] = await Promise.all([
      import('../serve/app.ts'),
      import('../serve/listen.ts'),
      import('../serve/webhooks.ts'),
    ]);
    const note = (text: string): void => cli.output.note(text);
    const webhooks = webhooksOf(config.bots.values(), { replies, secrets, note });
    if (webhooks.size === 0) note(noWebhooks(config));
    const app = createApp({
      replies,
      webhooks,
      ...(apiToken ? { apiToken: secrets.secretAt(apiToken) } : {}),
      onFailure: (error) => note(`a request failed: ${failureWords(error)}`),
    });
    const listening = await listen({ fetch: app.fetch, host: options.host, port: options.port });
    const paths = Object.fromEntries([...webhooks.keys()].map((bot) => [bot, webhookPath(bot)]));
    cli.output.answer({ url: listening.url, webhooks: paths }, () =>
      [`Listening  ${listening.url}`, ...Object.values(paths).map((path) => `Webhook    ${path}`)].join('\n'),
    );
    note('ready; Ctrl-C stops it');
    if (!stop.aborted) await once(stop, 'abort');
    note('finishing what was taken');
    await listening.stop();
    note('stopped');
    return exitCode.done;
  });
}

/** Of our own errors only the words are known to repeat nothing that was sent (invariant 8). */
function failureWords(error: unknown): string {
  if (error instanceof ReplylaneError) return error.message;
  return error instanceof Error ? error.name : 'something that is no Error was thrown';
}

function noWebhooks({ path }: Config): string {
  return `there are no webhooks: no bot in ${path} has webhookSecretFile or webhookSecretEnv`;
}
