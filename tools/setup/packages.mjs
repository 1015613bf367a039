import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, SetupError, runQuietly, say } from './step.mjs';

const NODE_AT_LEAST = [20, 19];

/** Installs the packages unless what is installed is what package-lock.json asks for. */
export async function ensurePackages() {
  checkNode();
  if (areInstalled()) return;
  say('installing the packages that package-lock.json names');
  const startedMs = performance.now();
  if ((await npm(['ci', '--no-audit', '--no-fund'])) !== 0) {
    throw new SetupError('The packages could not be installed: npm ci failed, its message is above.');
  }
  say(`packages installed (${Math.round((performance.now() - startedMs) / 1000)} s)`);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [wantMajor, wantMinor] = NODE_AT_LEAST;
  if (major > wantMajor || (major === wantMajor && minor >= wantMinor)) return;
  throw new SetupError(
    `Node ${NODE_AT_LEAST.join('.')} or later is needed; this is ${process.versions.node}.`,
  );
}

/** npm keeps a list of what it installed; optional packages of other platforms are not in it. */
function areInstalled() {
  const installedList = join(ROOT, 'node_modules', '.package-lock.json');
  if (!existsSync(installedList)) return false;
  const wanted = packagesIn(join(ROOT, 'package-lock.json'));
  const installed = packagesIn(installedList);
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '') return true;
    return path in installed ? installed[path].version === version : optional === true;
  });
}

function packagesIn(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

function npm(args) {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('.js') ? runQuietly(process.execPath, [cli, ...args]) : runQuietly('npm', args);
}
