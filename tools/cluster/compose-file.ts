import { join } from 'node:path';
import { runCommand } from '../temporal/command.ts';
import { packageRoot } from '../temporal/package-root.ts';

/** A service as compose's own loader gives it: variables filled in, short forms written out. */
export interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[] | null;
  readonly command: readonly string[] | null;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly ports?: readonly { readonly host_ip?: string }[];
  readonly stop_grace_period?: string;
}

export interface ComposeProject {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly configs: Readonly<Record<string, { readonly file: string }>>;
}

/** Loads a compose file, the project's by default, with the program `deploy-check`. Throws what compose has against it. */
export async function loadCompose(
  deployCheck: string,
  env: Readonly<Record<string, string>>,
  file: string = join(packageRoot(), 'docker-compose.yml'),
): Promise<ComposeProject> {
  const { code, stdout, tail } = await runCommand(deployCheck, ['compose', file], {
    env: { PATH: process.env['PATH'], ...env },
  });
  if (code !== 0) throw new Error(tail);
  return JSON.parse(stdout) as ComposeProject;
}

/** A service of the project, which must be there. */
export function serviceOf(project: ComposeProject, name: string): ComposeService {
  const service = project.services[name];
  if (service === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return service;
}
