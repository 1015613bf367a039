import { once } from 'node:events';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { TokenSource } from '../../config/bot-config.ts';
import { readPayloadKeys } from '../../config/encryption.ts';
import { loadConfig } from '../../config/load.ts';
import { readWhole } from '../duration.ts';
import { type ExitCode, UsageError, exitCode } from '../exit-code.ts';
import { SecretReader } from '../serve/secrets.ts';
import type { Cli } from '../session.ts';
import { stopSignal } from '../worker-run.ts';

interface CodecServerOptions {
  readonly host: string;
  readonly port: number;
  readonly origin: string;
  readonly tokenFile?: string;
}

const tokenVariable = 'REPLYLANE_CODEC_TOKEN';

export function addCodecServer(program: Command, cli: Cli, end: (code: ExitCode) => void): void {
  program
    .command('codec-server')
    .description('HTTP: POST /decode for the Web UI, with the keys of the configuration, until stopped')
    .requiredOption(
      '--origin <url>',
      'of the Web UI: the one page that may ask, such as http://127.0.0.1:8233',
    )
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 for any that is free', readWhole(0, 65_535), 8081)
    .option('--token-file <path>', `file with the token that is asked for; else it is in ${tokenVariable}`)
    .action(async (options: CodecServerOptions) => end(await codecServer(cli, options)));
}

async function codecServer({ env, output }: Cli, options: CodecServerOptions): Promise<ExitCode> {
  requireOrigin(options.origin);
  const { encryption, path } = loadConfig(undefined, env);
  if (!encryption) throw new UsageError(`nothing is encrypted: ${path} has no "encryption"`);
  const keys = readPayloadKeys(encryption, env);
  const source = tokenSource(env, options.tokenFile);
  const secrets = new SecretReader(env);
  if (source) {
    const reading = secrets.read(source);
    if (reading.kind === 'missing')
      throw new UsageError(`${source.kind === 'file' ? '--token-file' : tokenVariable}: ${reading.why}`);
  } else if (!isLoopback(options.host)) {
    throw new UsageError(
      `--host: everybody who reaches ${options.host} could decode: give --token-file or set ${tokenVariable}`,
    );
  }
  const stop = stopSignal();
  const [{ createCodecApp }, { payloadCodec }, { listen }] = await Promise.all([
    import('../codec/app.ts'),
    import('../../client/codec/payload-codec.ts'),
    import('../serve/listen.ts'),
  ]);
  const app = createCodecApp({
    codec: payloadCodec(keys),
    origin: options.origin,
    ...(source ? { token: secrets.secretAt(source) } : {}),
  });
  const listening = await listen({ fetch: app.fetch, host: options.host, port: options.port });
  output.answer({ url: listening.url }, () => `Codec server  ${listening.url}`);
  if (!source) output.note('no token is asked for: whoever works on this machine can decode');
  output.note('ready; Ctrl-C stops it');
  if (!stop.aborted) await once(stop, 'abort');
  await listening.stop();
  output.note('stopped');
  return exitCode.done;
}

function requireOrigin(origin: string): void {
  if (URL.canParse(origin) && /^https?:/.test(origin) && new URL(origin).origin === origin) return;
  throw new UsageError(
    '--origin: must be scheme, host and port of the Web UI, such as http://127.0.0.1:8233',
  );
}

function tokenSource(env: NodeJS.ProcessEnv, file: string | undefined): TokenSource | undefined {
  if (file !== undefined) return { kind: 'file', path: resolve(file) };
  return env[tokenVariable] ? { kind: 'env', variable: tokenVariable } : undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
