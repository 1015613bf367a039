#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const isClone = existsSync(new URL('../cli/main.ts', import.meta.url));

if (isClone && !(await isBuilt())) {
  process.stderr.write('replylane: the build is missing or older than the sources; run: npm run setup\n');
  process.exitCode = 1;
} else {
  await import('../dist/cli/main.js');
}

async function isBuilt() {
  const { builtFingerprint, fingerprint } = await import('../tools/setup/fingerprint.mjs');
  return builtFingerprint(root)?.program === fingerprint(root).program;
}
