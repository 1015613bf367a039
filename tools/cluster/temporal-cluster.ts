import { randomInt } from 'node:crypto';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { runCommand } from '../temporal/command.ts';
import { freePort } from '../temporal/free-port.ts';
import { type ComposeProject, serviceOf } from './compose-file.ts';
import { type JobResult, replaced, runJob } from './compose-host.ts';
import { type LongProcess, isOpen, startProcess, untilReady } from './long-process.ts';
import { startPostgres } from './postgres.ts';

/** Programs and sources of the versions that docker-compose.yml names. */
export interface ClusterPrograms {
  readonly server: string;
  readonly sqlTool: string;
  readonly ui: string;
  readonly cli: string;
  readonly postgresBin: string;
  /** Sources of the server and of the Web UI, for the configuration files that their images ship. */
  readonly serverFolder: string;
  readonly uiFolder: string;
}

/** The services of docker-compose.yml on this machine's loopback, with what their images run. */
export class TemporalCluster {
  readonly address: string;
  readonly uiUrl: string;
  readonly #programs: ClusterPrograms;
  readonly #project: ComposeProject;
  readonly #folder: string;
  readonly #ports: Ports;
  readonly #processes: LongProcess[] = [];
  #server: LongProcess | undefined;

  private constructor(programs: ClusterPrograms, project: ComposeProject, folder: string, ports: Ports) {
    this.#programs = programs;
    this.#project = project;
    this.#folder = folder;
    this.#ports = ports;
    this.address = `127.0.0.1:${ports.FRONTEND_GRPC_PORT}`;
    this.uiUrl = `http://127.0.0.1:${ports.ui}`;
  }

  /** Starts PostgreSQL; the rest is for the caller to do, in the order of the compose file. */
  static async start(
    programs: ClusterPrograms,
    project: ComposeProject,
    folder: string,
  ): Promise<TemporalCluster> {
    // Other users' processes work in it: PostgreSQL's, and that of the image.
    await chmod(folder, 0o755);
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await symlink(programs.sqlTool, join(bin, 'temporal-sql-tool'));
    await symlink(programs.cli, join(bin, 'temporal'));
    const cluster = new TemporalCluster(programs, project, folder, await freePorts());
    const { environment = {}, healthcheck } = serviceOf(project, 'postgresql');
    cluster.#processes.push(
      await startPostgres({
        bin: programs.postgresBin,
        folder: join(folder, 'postgresql'),
        port: cluster.#ports.postgres,
        environment,
        healthcheck: healthcheck?.test.slice(1) ?? [],
      }),
    );
    return cluster;
  }

  runSchemaJob(): Promise<JobResult> {
    const instead = { SQL_HOST: '127.0.0.1', SQL_PORT: String(this.#ports.postgres) };
    return runJob(serviceOf(this.#project, 'schema'), { bin: join(this.#folder, 'bin'), instead });
  }

  runBootstrap(): Promise<JobResult> {
    const instead = { TEMPORAL_ADDRESS: this.address };
    return runJob(serviceOf(this.#project, 'bootstrap'), { bin: join(this.#folder, 'bin'), instead });
  }

  /** Starts the server with the configuration file that its image ships, and the environment of the compose file. */
  async startServer(): Promise<void> {
    const { postgres, ui: _, ...ports } = this.#ports;
    const { environment = {} } = serviceOf(this.#project, 'temporal');
    const port = String(postgres);
    const env = {
      ...replaced(environment, {
        POSTGRES_SEEDS: '127.0.0.1',
        DB_PORT: port,
        BIND_ON_IP: '127.0.0.1',
        DYNAMIC_CONFIG_FILE_PATH: this.dynamicConfig,
      }),
      // Another port than PostgreSQL's own needs a second variable in this version.
      VISIBILITY_DB_PORT: port,
      ...Object.fromEntries(Object.entries(ports).map(([name, value]) => [name, String(value)])),
      PATH: '/usr/bin:/bin',
    };
    const { server, serverFolder } = this.#programs;
    const args = ['--root', serverFolder, '--env', 'docker', 'start'];
    this.#server = await startProcess(server, args, { env });
    // Its port is open before it knows whether it can stay.
    await untilReady(this.#server, () => this.#isHealthy(), 90_000);
  }

  async #isHealthy(): Promise<boolean> {
    if (!(await isOpen(this.#ports.FRONTEND_GRPC_PORT))) return false;
    const args = ['operator', 'cluster', 'health', '--address', this.address];
    return (await runCommand(this.#programs.cli, args, { timeoutMs: 10_000 })).code === 0;
  }

  /** SIGKILL, and waits for the end. */
  async killServer(): Promise<void> {
    await this.#server?.end('SIGKILL');
  }

  async startUi(): Promise<void> {
    const { environment = {} } = serviceOf(this.#project, 'ui');
    const env = {
      ...replaced(environment, { TEMPORAL_ADDRESS: this.address }),
      TEMPORAL_UI_PORT: String(this.#ports.ui),
      PATH: '/usr/bin:/bin',
    };
    const args = ['--root', this.#programs.uiFolder, '--env', 'docker', 'start'];
    const ui = await startProcess(this.#programs.ui, args, { env });
    this.#processes.push(ui);
    await untilReady(ui, () => isOpen(this.#ports.ui), 30_000);
  }

  get dynamicConfig(): string {
    return this.#project.configs['dynamic-config']?.file ?? '';
  }

  /** Ends what it started, PostgreSQL last. */
  async stop(): Promise<void> {
    await this.#server?.end('SIGKILL');
    for (const process of this.#processes.toReversed()) await process.end('SIGINT');
  }
}

type Ports = Awaited<ReturnType<typeof freePorts>>;

/** One for each that a service listens on; the server's under the names by which its image takes them. */
async function freePorts() {
  return {
    postgres: await freePort(),
    ui: await freePort(),
    FRONTEND_GRPC_PORT: await freeLowPort(),
    FRONTEND_MEMBERSHIP_PORT: await freeLowPort(),
    FRONTEND_HTTP_PORT: await freeLowPort(),
    MATCHING_GRPC_PORT: await freeLowPort(),
    MATCHING_MEMBERSHIP_PORT: await freeLowPort(),
    HISTORY_GRPC_PORT: await freeLowPort(),
    HISTORY_MEMBERSHIP_PORT: await freeLowPort(),
    WORKER_GRPC_PORT: await freeLowPort(),
    WORKER_MEMBERSHIP_PORT: await freeLowPort(),
  };
}

/** The server keeps its ports in columns of two bytes with a sign, and ends where one does not fit. */
async function freeLowPort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const listener = createServer();
    listener.once('error', () => resolve(false));
    listener.listen(port, '127.0.0.1', () => listener.close(() => resolve(true)));
  });
}
