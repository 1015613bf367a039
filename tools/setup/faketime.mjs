import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { aptInstall } from './debian.mjs';
import { SetupError, say } from './step.mjs';

/** Debian has it below the name of the machine's architecture. */
const LIBRARIES = '/usr/lib';
const FILE = join('faketime', 'libfaketimeMT.so.1');

/** Finds libfaketime, or installs Debian's. Resolves with its path; `REPLYLANE_FAKETIME` names another. */
export async function ensureFaketime() {
  const named = process.env.REPLYLANE_FAKETIME;
  if (named) {
    if (existsSync(named)) return named;
    throw new SetupError(
      `REPLYLANE_FAKETIME: ${named} is not there. Name libfaketimeMT.so.1, or leave it out.`,
    );
  }
  const found = find();
  if (found) return found;
  say('libfaketime is not there: installing it by apt-get');
  const installed = (await aptInstall('libfaketime')) ? find() : undefined;
  if (installed) return installed;
  throw new SetupError(
    'The chaos run needs libfaketime, and apt-get could not install it. Install it (Debian: apt-get install libfaketime), or name its libfaketimeMT.so.1 by REPLYLANE_FAKETIME.',
  );
}

function find() {
  if (!existsSync(LIBRARIES)) return undefined;
  const paths = ['', ...readdirSync(LIBRARIES)].map((folder) => join(LIBRARIES, folder, FILE));
  return paths.find((path) => existsSync(path));
}
