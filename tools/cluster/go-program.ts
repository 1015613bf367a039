import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../temporal/cache.ts';
import { runCommand } from '../temporal/command.ts';
import { withLock } from '../temporal/lock.ts';
import { packageRoot } from '../temporal/package-root.ts';
import { startProgress } from '../temporal/progress.ts';

/** A program of a Go module in `tools/`. */
export interface GoProgram {
  readonly name: string;
  /** Folder of the module that pins it, below `tools/`. */
  readonly module: 'temporal' | 'deploy-check';
  readonly package: string;
}

/** What runs in the images that docker-compose.yml names, in the versions of tools/temporal/go.mod. */
export const goPrograms = {
  server: {
    name: 'temporal-server',
    module: 'temporal',
    package: 'go.temporal.io/server/cmd/server',
  },
  sqlTool: {
    name: 'temporal-sql-tool',
    module: 'temporal',
    package: 'go.temporal.io/server/cmd/tools/sql',
  },
  ui: { name: 'ui-server', module: 'temporal', package: 'github.com/temporalio/ui-server/v2/cmd/server' },
  deployCheck: { name: 'deploy-check', module: 'deploy-check', package: '.' },
} as const satisfies Record<string, GoProgram>;

/** Builds a program once for all clones of this user, and gives its path. Throws an error that says what is missing. */
export async function buildGoProgram(program: GoProgram): Promise<string> {
  const folder = moduleFolder(program.module);
  const path = join(cacheFolder(), `${program.name}-${sourcesHash(folder)}`, program.name);
  if (existsSync(path)) return path;
  const progress = startProgress(`building ${program.name} from its Go module, once`);
  try {
    return await withLock(
      `${path}.lock`,
      () => progress.say(`waiting for another process that builds ${program.name}`),
      async () => (existsSync(path) ? path : await build(program, folder, path)),
    );
  } finally {
    progress.done(existsSync(path) ? `${program.name} is at ${path}` : `${program.name} was not built`);
  }
}

interface GoModule {
  /** Where Go keeps its sources. */
  readonly folder: string;
  /** Such as `1.29.1`. */
  readonly version: string;
}

/** A module as tools/temporal/go.mod pins it; fetched where its sources are not on this machine. */
export async function goModule(path: string): Promise<GoModule> {
  const cwd = moduleFolder('temporal');
  const { code, stdout, tail } = await runCommand('go', ['mod', 'download', '-json', path], { cwd });
  if (code !== 0) throw new Error(`Go does not find ${path}: ${tail}${stdout}`);
  const { Dir, Version } = JSON.parse(stdout) as { readonly Dir: string; readonly Version: string };
  return { folder: Dir, version: Version.replace(/^v/, '') };
}

async function build(program: GoProgram, folder: string, path: string): Promise<string> {
  const partial = `${path}.${process.pid}.partial`;
  try {
    const result = await runCommand('go', ['build', '-C', folder, '-o', partial, program.package]);
    if (result.code !== 0) {
      throw new Error(`${program.name} cannot be built (Go 1.25 or later is needed): ${result.tail}`);
    }
    await rename(partial, path);
    return path;
  } finally {
    await rm(partial, { force: true });
  }
}

function moduleFolder(name: GoProgram['module']): string {
  return join(packageRoot(), 'tools', name);
}

/** Of what decides what is built: the pinned versions, and the module's own code. */
function sourcesHash(folder: string): string {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) {
    const path = join(folder, file);
    if (existsSync(path)) hash.update(readFileSync(path));
  }
  return hash.digest('hex').slice(0, 12);
}
