import { runCommand } from '../temporal/command.ts';

/** An object of a manifest as Kubernetes' own decoder gives it, with the parts that are looked at here. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly template?: { readonly spec: PodSpec } };
}

interface PodSpec {
  readonly terminationGracePeriodSeconds?: number;
  readonly containers: readonly Container[];
}

interface Container {
  readonly image: string;
  readonly env: readonly { readonly name: string }[];
}

/** Decodes a file of manifests strictly, with the program `deploy-check`. Throws what Kubernetes has against it. */
export async function loadManifests(deployCheck: string, file: string): Promise<readonly Manifest[]> {
  const { code, stdout, tail } = await runCommand(deployCheck, ['kubernetes', file]);
  if (code !== 0) throw new Error(tail);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Manifest);
}

/** The object of that kind, which must be there. */
export function manifestOf(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind);
  if (found === undefined) throw new Error(`there is no ${kind}`);
  return found;
}

/** The only container of a Deployment. */
export function containerOf({ spec, metadata }: Manifest): Container {
  const [container, ...others] = spec?.template?.spec.containers ?? [];
  if (container === undefined || others.length > 0)
    throw new Error(`${metadata.name} does not have one container`);
  return container;
}
