import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder of replylane's own package.json. Compiled files run from dist/ while go.mod and the plain
 * JavaScript helpers stay in the source tree, so paths are taken from here and never from the file's own place.
 */
export function packageRoot(from: string = dirname(fileURLToPath(import.meta.url))): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file) && nameIn(file) === 'replylane') return folder;
    if (folder === dirname(folder)) throw new Error(`No package.json of replylane above ${from}.`);
  }
}

function nameIn(packageJson: string): unknown {
  const parsed: unknown = JSON.parse(readFileSync(packageJson, 'utf8'));
  return typeof parsed === 'object' && parsed !== null && 'name' in parsed ? parsed.name : undefined;
}
