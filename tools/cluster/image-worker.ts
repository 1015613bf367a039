import { join } from 'node:path';
import { freePort } from '../temporal/free-port.ts';
import type { BuiltImage } from './built-image.ts';
import type { ComposeService } from './compose-file.ts';
import { replaced } from './compose-host.ts';
import { type CommandResult, runCommand } from '../temporal/command.ts';
import { type LongProcess, startProcess, untilReady } from './long-process.ts';
import { runAsNumber } from './unprivileged.ts';

export interface ImageWorkerOptions {
  readonly image: BuiltImage;
  /** The service `worker` of the compose file. */
  readonly service: ComposeService;
  readonly temporalAddress: string;
  /** What the compose file mounts at /etc/replylane. */
  readonly configFolder: string;
}

/** A worker as the compose file runs it, ready by the compose file's own health check. */
export interface ImageWorker {
  readonly process: LongProcess;
  /** Asks what the compose file asks. */
  isHealthy(): Promise<boolean>;
  readonly metricsUrl: string;
}

/** Starts the image's own command as the image's own user. */
export async function startImageWorker(options: ImageWorkerOptions): Promise<ImageWorker> {
  const { image, service } = options;
  const port = await freePort();
  const env = imageEnvironment(options, {
    REPLYLANE_METRICS_HOST: '127.0.0.1',
    REPLYLANE_METRICS_PORT: String(port),
  });
  const [file = '', ...args] = image.command;
  const worker = await startProcess(programOf(file), args, {
    cwd: image.workdir,
    env,
    ...runAsNumber(image.user.uid, image.user.gid),
  });
  const [probe = '', ...probeArgs] = service.healthcheck?.test.slice(1) ?? [];
  const isHealthy = async (): Promise<boolean> =>
    (await runCommand(programOf(probe), probeArgs, { env, cwd: image.workdir })).code === 0;
  await untilReady(worker, isHealthy, 90_000);
  return { process: worker, isHealthy, metricsUrl: `http://127.0.0.1:${port}/metrics` };
}

/** What `docker compose exec worker …` does: a command inside of the image, in its environment. */
export function runInImage(options: ImageWorkerOptions, command: readonly string[]): Promise<CommandResult> {
  const [file = '', ...args] = command;
  const env = imageEnvironment(options, {});
  return runCommand(programOf(file), args, { cwd: options.image.workdir, env, timeoutMs: 60_000 });
}

function imageEnvironment(
  { image, service, temporalAddress, configFolder }: ImageWorkerOptions,
  instead: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    PATH: '/usr/bin:/bin',
    HOME: '/nonexistent',
    ...replaced(image.environment, { REPLYLANE_CONFIG: join(configFolder, 'replylane.config.json') }),
    ...replaced(service.environment ?? {}, { TEMPORAL_ADDRESS: temporalAddress, ...instead }),
  };
}

/** The image has a Node of its own; here it is the one that runs this. */
function programOf(file: string): string {
  return file === 'node' ? process.execPath : file;
}
