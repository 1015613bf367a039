import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from './temporal/package-root.ts';

/** What the workflows may import, compiled; a worker that starts from the bundle needs no bundler at start. */
const SOURCES = ['domain', 'contracts', 'workflows'];

export async function bundleWorkflows(
  root: string = packageRoot(),
): Promise<'written' | 'fresh' | 'no workflows'> {
  const dist = join(root, 'dist');
  const target = join(dist, 'workflow-bundle.js');
  const workflowsPath = join(dist, 'workflows', 'index.js');
  if (!existsSync(workflowsPath)) return 'no workflows';
  const newest = Math.max(
    statSync(join(root, 'package-lock.json')).mtimeMs,
    ...SOURCES.map((folder) => newestIn(join(dist, folder))),
  );
  if (existsSync(target) && statSync(target).mtimeMs > newest) return 'fresh';
  // Two thirds of it are the inline source map, which the worker refuses to be without.
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    logger: new DefaultLogger('WARN'),
    // The pure core keeps nothing between calls, so all workflows of a worker can share it: a third of what one costs.
    preloadModules: scriptsIn(join(dist, 'domain')),
  });
  // Renamed into place: a worker that starts meanwhile must not read half a bundle.
  const partial = `${target}.${process.pid}.partial`;
  await writeFile(partial, code);
  await rename(partial, target);
  return 'written';
}

function newestIn(folder: string): number {
  return Math.max(0, ...scriptsIn(folder).map((path) => statSync(path).mtimeMs));
}

function scriptsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.js')).map((name) => join(folder, name));
}

const startedDirectly =
  process.argv[1] !== undefined && /[\\/]tools[\\/]bundle\.[jt]s$/.test(process.argv[1]);
if (startedDirectly) await bundleWorkflows();
