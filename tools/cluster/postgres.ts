import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../temporal/command.ts';
import { startProgress } from '../temporal/progress.ts';
import { type LongProcess, startProcess, untilReady } from './long-process.ts';
import { type RunAs, isRoot, runAsUser } from './unprivileged.ts';

const debianFolder = '/usr/lib/postgresql';

/** Where PostgreSQL's programs are: Debian's newest; installed where there is none. Throws what to do where that fails. */
export async function findPostgres(): Promise<string> {
  const found = postgresHere();
  if (found !== undefined) return found;
  const advice = "install Debian's PostgreSQL (apt-get install postgresql), or run this as root";
  if (!isRoot) throw new Error(`No PostgreSQL in ${debianFolder}: ${advice}.`);
  const progress = startProgress("installing Debian's PostgreSQL");
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const update = await runCommand('apt-get', ['update'], { env });
  const install = ['install', '--yes', '--no-install-recommends', 'postgresql'];
  const { code, tail } = update.code === 0 ? await runCommand('apt-get', install, { env }) : update;
  progress.stop();
  const installed = code === 0 ? postgresHere() : undefined;
  if (installed === undefined) throw new Error(`PostgreSQL was not installed (${tail}): ${advice}.`);
  return installed;
}

function postgresHere(): string | undefined {
  if (!existsSync(debianFolder)) return undefined;
  return readdirSync(debianFolder)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(debianFolder, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')));
}

export interface PostgresOptions {
  readonly bin: string;
  /** A folder for its data, made anew. */
  readonly folder: string;
  readonly port: number;
  /** As the image `postgres` reads them: the user is its superuser and has a database of its name. */
  readonly environment: Readonly<Record<string, string>>;
  /** The health check of the compose file: a program and its arguments. */
  readonly healthcheck: readonly string[];
}

/** PostgreSQL on loopback with data of its own, set up as the image `postgres` does it, and healthy. */
export async function startPostgres(options: PostgresOptions): Promise<LongProcess> {
  const { bin, folder, port, environment } = options;
  const { POSTGRES_USER: user = 'postgres', POSTGRES_PASSWORD: password = '' } = environment;
  const runAs = await runAsUser('postgres');
  const env = { PATH: `${bin}:/usr/bin:/bin`, LC_ALL: 'C.UTF-8', PGHOST: '127.0.0.1', PGPORT: String(port) };
  await mkdir(folder, { recursive: true });
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  for (const path of [folder, passwordFile])
    if (runAs.uid !== undefined && runAs.gid !== undefined) await chown(path, runAs.uid, runAs.gid);
  const data = join(folder, 'data');
  const auth = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`, `--username=${user}`];
  await untilDone('initdb', ['--pgdata', data, '--encoding=UTF8', ...auth], { env, ...runAs });
  const listen = ['-c', 'listen_addresses=127.0.0.1', '-c', `port=${port}`, '-k', folder];
  const server = await startProcess(join(bin, 'postgres'), ['-D', data, ...listen], { env, ...runAs });
  const [program = '', ...args] = options.healthcheck;
  const isHealthy = async (): Promise<boolean> =>
    (await runCommand(join(bin, program), args, { env })).code === 0;
  await untilReady(server, isHealthy, 60_000);
  await untilDone('createdb', ['--username', user, user], {
    env: { ...env, PGPASSWORD: password },
    ...runAs,
  });
  return server;
}

async function untilDone(
  program: string,
  args: readonly string[],
  options: RunAs & { readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  const started = await startProcess(program, args, options);
  await untilReady(started, () => Promise.resolve(started.hasEnded()), 120_000);
  const how = await started.end('SIGTERM');
  if (how !== 0) throw new Error(`${program} ended with ${how}:\n${started.output()}`);
}
