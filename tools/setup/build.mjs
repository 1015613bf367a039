import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtFingerprint, fingerprint, stampPath } from './fingerprint.mjs';
import { ROOT, SetupError, runQuietly, say } from './step.mjs';

const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

/** Compiles to dist/ and bundles the workflows, unless dist/ is of these very sources. */
export async function ensureBuild() {
  const sources = fingerprint(ROOT);
  if (builtFingerprint(ROOT)?.all === sources.all) return;
  const startedMs = performance.now();
  say('compiling');
  const problems = [];
  if ((await runQuietly(process.execPath, [TSC, '-p', '.'])) !== 0)
    problems.push('the compiler found errors');
  const bundle = join(ROOT, 'dist', 'tools', 'bundle.js');
  if (existsSync(bundle) && (await runQuietly(process.execPath, [bundle])) !== 0) {
    problems.push('the workflows could not be bundled');
  }
  if (problems.length > 0) throw new SetupError(`The build failed: ${problems.join(', ')}; see above.`);
  writeFileSync(stampPath(ROOT), JSON.stringify(sources));
  say(`built (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`);
}
