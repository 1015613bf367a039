import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from './cache.ts';
import { runCommand } from './command.ts';
import { packageRoot } from './package-root.ts';

export type SdkServer = 'dev-server' | 'time-skipping';

const FILE_PREFIX: Record<SdkServer, string> = {
  'dev-server': 'temporal',
  'time-skipping': 'temporal-test-server',
};
const FIRST_BYTE_WITHIN_MS = 20_000;
const NO_PROGRESS_MS = 30_000;

/** What the SDK has fetched before, for itself (in the folder for temporary files) or for us. */
export function sdkCachedServer(kind: SdkServer): string | undefined {
  const name = fileName(kind);
  return name === undefined
    ? undefined
    : [join(sdkFolder(), name), join(tmpdir(), name)].find((path) => existsSync(path));
}

/** Has the SDK fetch a server; undefined where that is refused, unsupported or makes no progress. */
export async function downloadSdkServer(kind: SdkServer): Promise<string | undefined> {
  const name = fileName(kind);
  if (name === undefined) return undefined;
  const folder = sdkFolder();
  await mkdir(folder, { recursive: true });
  const root = packageRoot();
  const partial = join(folder, `${name}.downloading`);
  const isStalled = stallWatch(() =>
    [partial, join(folder, name)].reduce((sum, path) => sum + sizeOf(path), 0),
  );
  await runCommand(process.execPath, [join(root, 'tools', 'temporal', 'sdk-download.mjs'), kind, folder], {
    cwd: root,
    isStalled,
  });
  return existsSync(join(folder, name)) ? join(folder, name) : undefined;
}

function stallWatch(size: () => number): () => boolean {
  let lastSize = size();
  let lastChangeMs = performance.now();
  let patienceMs = FIRST_BYTE_WITHIN_MS;
  return () => {
    const now = size();
    if (now !== lastSize) {
      lastSize = now;
      lastChangeMs = performance.now();
      patienceMs = NO_PROGRESS_MS;
    }
    return performance.now() - lastChangeMs > patienceMs;
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function sdkFolder(): string {
  return join(cacheFolder(), 'sdk');
}

/** The name the SDK gives its download; undefined where the package that downloads is not installed. */
function fileName(kind: SdkServer): string | undefined {
  try {
    const file = join(packageRoot(), 'node_modules', '@temporalio', 'testing', 'package.json');
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    const extension = process.platform === 'win32' ? '.exe' : '';
    return `${FILE_PREFIX[kind]}-sdk-typescript-${version}${extension}`;
  } catch {
    return undefined;
  }
}
