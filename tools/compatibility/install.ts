import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { cacheFolder, packageRoot } from '../temporal/launcher.ts';
import { type CommandResult, runCommand } from '../temporal/command.ts';
import { withLock } from '../temporal/lock.ts';
import { startProgress } from '../temporal/progress.ts';

/** Puts foreign servers into the cache, outside the work tree: once for all clones of this user, anew for other pins. */

const installWithinMs = 300_000;

/** A file beside the sources: what runs from dist/ finds it in the source tree. */
export function sourceFile(...path: readonly string[]): string {
  return join(packageRoot(), 'tools', 'compatibility', ...path);
}

/** Folder in which `npm ci` has installed what the package.json and package-lock.json of `name` pin. */
export async function installFromNpm(name: string): Promise<string> {
  const pins = ['package.json', 'package-lock.json'].map((file) => sourceFile(name, file));
  return install(name, pins, '', async (folder) => {
    for (const pin of pins) await copyFile(pin, join(folder, basename(pin)));
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
    const cli = process.env['npm_execpath'];
    const isScript = cli?.endsWith('.js') === true;
    const options = { cwd: folder, timeoutMs: installWithinMs };
    return isScript
      ? runCommand(process.execPath, [cli, ...args], options)
      : runCommand('npm', args, options);
  });
}

/** Folder in which pip has installed what requirements.txt and constraints.txt of `name` pin, for `python3`. */
export async function installFromPypi(name: string): Promise<string> {
  const version = await runCommand('python3', ['-c', 'import sys; print(sys.version_info[:2])']);
  if (version.code !== 0) throw new Error(`${name} needs python3 (3.11 or later) with pip: ${version.tail}`);
  const [requirements, constraints] = ['requirements.txt', 'constraints.txt'].map((file) =>
    sourceFile(name, file),
  ) as [string, string];
  const pip = ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', '--quiet'];
  return install(name, [requirements, constraints], version.stdout, (folder) =>
    runCommand('python3', [...pip, '--target', folder, '-r', requirements, '-c', constraints], {
      timeoutMs: installWithinMs,
    }),
  );
}

/** Installs beside the target and renames, so that a half-written folder is never taken for the server. */
async function install(
  name: string,
  pins: readonly string[],
  platform: string,
  into: (folder: string) => Promise<CommandResult>,
): Promise<string> {
  const hash = createHash('sha256').update(platform);
  for (const pin of pins) hash.update(readFileSync(pin));
  const target = join(cacheFolder(), 'compatibility', `${name}-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(target)) return target;
  const progress = startProgress(`installing ${name}, once`);
  await mkdir(dirname(target), { recursive: true });
  try {
    return await withLock(
      `${target}.lock`,
      () => progress.say(`waiting for another process that installs ${name}`),
      async () => {
        if (existsSync(target)) return target;
        const partial = await mkdtemp(`${target}.partial-`);
        try {
          const result = await into(partial);
          if (result.code !== 0) throw new Error(`${name} could not be installed:\n${result.tail}`);
          await rename(partial, target);
          return target;
        } finally {
          await rm(partial, { recursive: true, force: true });
        }
      },
    );
  } finally {
    progress.done(existsSync(target) ? `${name} is installed` : `${name} was not installed`);
  }
}
