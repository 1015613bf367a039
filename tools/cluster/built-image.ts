import { cp, mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { runCommand } from '../temporal/command.ts';
import { packageRoot } from '../temporal/package-root.ts';
import { type Instruction, dockerIgnore, readDockerfile } from './dockerfile.ts';
import { isRoot } from './unprivileged.ts';

/** What an image of the Dockerfile would hold and run, in a folder of this machine. */
export interface BuiltImage {
  /** Where the working directory of its last stage is. */
  readonly workdir: string;
  /** What its `ENV` lines set. */
  readonly environment: Readonly<Record<string, string>>;
  readonly user: { readonly uid: number; readonly gid: number };
  readonly command: readonly string[];
  /** Every `RUN` with what became of it. */
  readonly runs: readonly { readonly command: string; readonly outcome: 'done' | 'left out: not root' }[];
}

interface Stage {
  readonly root: string;
  workdir: string;
  readonly environment: Record<string, string>;
}

/**
 * Carries out the project's Dockerfile without a container engine: each stage is a folder, each `RUN` a real command of
 * this machine in it. What that leaves open: the base image and its Node, and paths outside of the working directory.
 * A command of apt changes this machine, and is left out where this process is not root. Throws at the first failure.
 */
export async function buildImage(folder: string): Promise<BuiltImage> {
  const context = packageRoot();
  const isIgnored = dockerIgnore(await readFile(join(context, '.dockerignore'), 'utf8'));
  const stages = new Map<string, Stage>();
  const runs: BuiltImage['runs'][number][] = [];
  let stage: Stage | undefined;
  let user = { uid: 0, gid: 0 };
  let command: readonly string[] = [];
  const current = (): Stage => {
    if (stage === undefined) throw new Error('the Dockerfile does not begin with FROM');
    return stage;
  };

  const carryOut = async (step: Instruction): Promise<void> => {
    switch (step.kind) {
      case 'from': {
        const name = step.name ?? String(stages.size);
        stage = { root: join(folder, name), workdir: '/', environment: {} };
        stages.set(name, stage);
        await mkdir(stage.root, { recursive: true });
        return;
      }
      case 'workdir':
        current().workdir = resolve('/', step.path);
        await mkdir(inside(current(), '.'), { recursive: true });
        return;
      case 'env':
        current().environment[step.name] = step.value;
        return;
      case 'copy': {
        const from = step.from === null ? undefined : stages.get(step.from);
        if (step.from !== null && from === undefined)
          throw new Error(`COPY from ${step.from}, which is not there`);
        for (const source of step.sources) {
          const path = from === undefined ? join(context, source) : join(from.root, source);
          await copy(path, source === '.' ? inside(current(), step.target) : target(current(), step, source));
        }
        return;
      }
      case 'run': {
        const isApt = step.command.startsWith('apt-get');
        const outcome = isApt && !isRoot ? 'left out: not root' : 'done';
        if (outcome === 'done') await run(step.command, current());
        runs.push({ command: step.command, outcome });
        return;
      }
      case 'user':
        user = { uid: step.uid, gid: step.gid };
        return;
      case 'cmd':
        command = step.command;
        return;
      case 'expose':
        return;
    }
  };
  const copy = async (path: string, to: string): Promise<void> => {
    const isOfContext = path === context || path.startsWith(`${context}/`);
    await cp(path, to, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => !isOfContext || file === context || !isIgnored(relative(context, file)),
    });
  };
  for (const step of readDockerfile(await readFile(join(context, 'Dockerfile'), 'utf8')))
    await carryOut(step);
  return { workdir: inside(current(), '.'), environment: current().environment, user, command, runs };
}

function inside(stage: Stage, path: string): string {
  return join(stage.root, resolve(stage.workdir, path));
}

/** A file or folder copied to `./` keeps its name; to any other path it takes that one. */
function target(stage: Stage, { target: to }: { readonly target: string }, source: string): string {
  const path = inside(stage, to);
  return to.endsWith('/') ? join(path, basename(source)) : join(dirname(path), basename(path));
}

const reachesOut = /^(NODE_EXTRA_CA_CERTS|SSL_CERT_|npm_config_|https?_proxy|no_proxy)/i;

async function run(command: string, stage: Stage): Promise<void> {
  const { PATH, HOME } = process.env;
  // How this machine reaches the registries; an engine would have it from its own settings.
  const kept = Object.entries(process.env).filter(([name]) => reachesOut.test(name));
  const env = { PATH, HOME, ...Object.fromEntries(kept), ...stage.environment };
  const { code, tail, stdout } = await runCommand('/bin/sh', ['-c', command], {
    cwd: inside(stage, '.'),
    env,
    timeoutMs: 600_000,
  });
  if (code !== 0) throw new Error(`RUN ${command} ended with ${code}:\n${stdout.slice(-2000)}\n${tail}`);
}
