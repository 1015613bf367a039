import { accessSync, constants } from 'node:fs';
import { aptInstall } from './debian.mjs';
import { SetupError, say } from './step.mjs';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];

/** Finds a Chromium, or installs Debian's. Resolves with its path; `REPLYLANE_CHROMIUM` names another. */
export async function ensureBrowser() {
  const named = process.env.REPLYLANE_CHROMIUM;
  if (named) {
    if (isExecutable(named)) return named;
    throw new SetupError(`REPLYLANE_CHROMIUM: ${named} cannot be run. Name a Chromium, or leave it out.`);
  }
  const found = PATHS.find(isExecutable);
  if (found) return found;
  say('Chromium is not there: installing it by apt-get');
  const installed = (await aptInstall('chromium')) ? PATHS.find(isExecutable) : undefined;
  if (installed) return installed;
  throw new SetupError(
    'The browser tests need Chromium, and apt-get could not install it. Install it (Debian: apt-get install chromium), or name one by REPLYLANE_CHROMIUM.',
  );
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
