import type { TestProject } from 'vitest/node';
import { buildGoProgram, goModule, goPrograms } from '../../tools/cluster/go-program.ts';
import { findPostgres } from '../../tools/cluster/postgres.ts';
import type { ClusterPrograms } from '../../tools/cluster/temporal-cluster.ts';
import { buildCli } from '../../tools/temporal/go-build.ts';

declare module 'vitest' {
  interface ProvidedContext {
    clusterPrograms: ClusterPrograms;
    deployCheckPath: string;
  }
}

/** Finds, installs and builds what the images of docker-compose.yml hold. */
export async function setup({ provide }: TestProject): Promise<void> {
  // The cheapest first: what is missing should be told before minutes of building.
  const postgresBin = await findPostgres();
  provide('deployCheckPath', await buildGoProgram(goPrograms.deployCheck));
  provide('clusterPrograms', {
    postgresBin,
    cli: await pinnedCli(),
    server: await buildGoProgram(goPrograms.server),
    sqlTool: await buildGoProgram(goPrograms.sqlTool),
    ui: await buildGoProgram(goPrograms.ui),
    serverFolder: (await goModule('go.temporal.io/server')).folder,
    uiFolder: (await goModule('github.com/temporalio/ui-server/v2')).folder,
  });
}

/** The very version that is pinned, not one that happens to be on this machine. */
async function pinnedCli(): Promise<string> {
  const cli = await buildCli();
  if ('refusal' in cli) throw new Error(`The Temporal command line cannot be built: ${cli.refusal}.`);
  return cli.path;
}
