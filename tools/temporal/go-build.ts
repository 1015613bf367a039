import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder } from './cache.ts';
import { runCommand } from './command.ts';
import { withLock } from './lock.ts';
import { packageRoot } from './package-root.ts';
import { startProgress } from './progress.ts';

/** The version required by tools/temporal/go.mod; part of the cache's path, so a new one is built anew. */
const CLI_VERSION = '1.5.1';
const CLI_PACKAGE = 'github.com/temporalio/cli/cmd/temporal';

export type GoBuild = { readonly path: string } | { readonly refusal: string };

export function builtCliPath(): string {
  const name = process.platform === 'win32' ? 'temporal.exe' : 'temporal';
  return join(cacheFolder(), `temporal-${CLI_VERSION}`, name);
}

/** Builds the official Temporal CLI from its Go module, once for all clones and processes of this user. */
export async function buildCli(): Promise<GoBuild> {
  const path = builtCliPath();
  if (existsSync(path)) return { path };
  const version = await runCommand('go', ['version'], { timeoutMs: 60_000 });
  if (version.code !== 0) return { refusal: 'Go is not installed' };
  await mkdir(dirname(path), { recursive: true });
  const progress = startProgress(
    `building the Temporal CLI ${CLI_VERSION} from its Go module, once, about 4 minutes on 2 cores`,
  );
  try {
    return await withLock(
      `${path}.lock`,
      () => progress.say('waiting for another process that builds the Temporal CLI'),
      async () => (existsSync(path) ? { path } : await build(path)),
    );
  } finally {
    progress.done(existsSync(path) ? `the Temporal CLI is at ${path}` : 'the Temporal CLI was not built');
  }
}

async function build(path: string): Promise<GoBuild> {
  const partial = `${path}.${process.pid}.partial`;
  try {
    const folder = join(packageRoot(), 'tools', 'temporal');
    const result = await runCommand('go', ['build', '-C', folder, '-o', partial, CLI_PACKAGE]);
    if (result.code !== 0) return { refusal: `the Go build failed: ${result.tail.replaceAll('\n', ' / ')}` };
    await rename(partial, path);
    return { path };
  } finally {
    await rm(partial, { force: true });
  }
}
