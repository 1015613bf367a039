import { runQuietly } from './step.mjs';

/** Installs a package of Debian; false where that cannot be done here. */
export async function aptInstall(name) {
  return (await aptGet('update')) && (await aptGet('install', '-y', '--no-install-recommends', name));
}

async function aptGet(...args) {
  try {
    return (await runQuietly('apt-get', args)) === 0;
  } catch {
    return false;
  }
}
