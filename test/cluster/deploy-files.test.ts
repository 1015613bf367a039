import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parseConfig } from '../../config/load.ts';
import { type ComposeProject, loadCompose, serviceOf } from '../../tools/cluster/compose-file.ts';
import { dockerIgnore } from '../../tools/cluster/dockerfile.ts';
import { goModule } from '../../tools/cluster/go-program.ts';
import { containerOf, loadManifests, manifestOf } from '../../tools/cluster/manifests.ts';
import { packageRoot } from '../../tools/temporal/package-root.ts';
import { workerOptions } from '../../workers/reply-worker.ts';

const manifestFile = join(packageRoot(), 'deploy', 'kubernetes', 'worker.yaml');
const composeFile = join(packageRoot(), 'docker-compose.yml');
const env = { POSTGRES_PASSWORD: 'secret' };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'replylane-deploy-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A copy with one mistake in it, to see that the check can fail. */
async function broken(path: string, from: string, to: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  expect(text).toContain(from);
  const copy = join(folder, 'broken.yaml');
  await writeFile(copy, text.replace(from, to));
  return copy;
}

/** Seconds after which a worker gives up by itself what it is sending. */
const forceSeconds = Number.parseInt(String(workerOptions().shutdownForceTime), 10);

describe("docker-compose.yml, by compose's own loader", () => {
  const load = (file?: string): Promise<ComposeProject> => loadCompose(inject('deployCheckPath'), env, file);

  it('is loaded with all profiles', async () => {
    const { services } = await load();
    expect(Object.keys(services).toSorted()).toEqual([
      'bootstrap',
      'dev',
      'postgresql',
      'schema',
      'temporal',
      'ui',
      'worker',
    ]);
  });

  it('names images of the very versions that the cluster is tested with', async () => {
    const project = await load();
    const versionOf = async (path: string): Promise<string> => (await goModule(path)).version;
    const server = await versionOf('go.temporal.io/server');
    const imageOf = (name: string): string => serviceOf(project, name).image;
    expect(imageOf('temporal')).toBe(`temporalio/server:${server}`);
    expect(imageOf('ui')).toBe(`temporalio/ui:${await versionOf('github.com/temporalio/ui-server/v2')}`);
    expect(imageOf('dev')).toBe(`temporalio/temporal:${await versionOf('github.com/temporalio/cli')}`);
    // The tools' own part of the tag has a command line one patch older than the one that is tested.
    for (const name of ['schema', 'bootstrap'])
      expect(imageOf(name)).toBe(`temporalio/admin-tools:${server}-tctl-1.18.4-cli-1.5.0`);
  });

  it('opens ports on this machine only', async () => {
    const { services } = await load();
    for (const { ports = [] } of Object.values(services))
      for (const { host_ip: host } of ports) expect(host).toBe('127.0.0.1');
  });

  it('waits longer before it kills a worker than the worker takes to give up by itself', async () => {
    const period = serviceOf(await load(), 'worker').stop_grace_period;
    expect(period).toBe('1m0s');
    expect(forceSeconds).toBeLessThan(60);
  });

  it('is refused without a password', async () => {
    await expect(loadCompose(inject('deployCheckPath'), {})).rejects.toThrow('POSTGRES_PASSWORD');
  });

  it('is refused with a field that compose does not know', async () => {
    const file = await broken(composeFile, 'stop_grace_period: 60s', 'stop_grace_time: 60s');
    await expect(load(file)).rejects.toThrow('stop_grace_time');
  });

  it('is refused where a service waits for one that is not there', async () => {
    const file = await broken(composeFile, 'bootstrap: { condition', 'bootstrip: { condition');
    await expect(load(file)).rejects.toThrow('bootstrip');
  });
});

describe('.dockerignore', () => {
  it('keeps secrets and what is built elsewhere from the image', async () => {
    const isIgnored = dockerIgnore(await readFile(join(packageRoot(), '.dockerignore'), 'utf8'));
    for (const path of [
      '.env',
      'secrets/support',
      'replylane.config.json',
      '.git/config',
      'node_modules/zod',
    ])
      expect(isIgnored(path), path).toBe(true);
    for (const path of ['package.json', '.npmrc', 'config/secrets.ts', 'tools/temporal/go.mod'])
      expect(isIgnored(path), path).toBe(false);
  });
});

describe("deploy/kubernetes/worker.yaml, by Kubernetes' own decoder", () => {
  const load = (file = manifestFile) => loadManifests(inject('deployCheckPath'), file);

  it('is decoded strictly, object by object', async () => {
    expect((await load()).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'ConfigMap replylane-config',
      'Deployment replylane-worker',
      'PodDisruptionBudget replylane-worker',
    ]);
  });

  it('holds a configuration that a worker takes', async () => {
    const { data = {} } = manifestOf(await load(), 'ConfigMap');
    const { bots, warnings } = parseConfig(data['replylane.config.json'] ?? '', '/etc/replylane/config');
    expect([...bots.keys()]).toEqual(['support']);
    expect(warnings).toEqual([]);
  });

  it('runs the image of the compose file, with the same variables', async () => {
    const worker = serviceOf(await loadCompose(inject('deployCheckPath'), env), 'worker');
    const container = containerOf(manifestOf(await load(), 'Deployment'));
    expect(container.image).toBe(worker.image);
    const names = new Set(container.env.map(({ name }) => name));
    expect(Object.keys(worker.environment ?? {}).filter((name) => !names.has(name))).toEqual([]);
  });

  it('waits longer before it kills a worker than the worker takes to give up by itself', async () => {
    const { spec } = manifestOf(await load(), 'Deployment');
    expect(spec?.template?.spec.terminationGracePeriodSeconds).toBeGreaterThan(forceSeconds);
  });

  it.each([
    ['a field that Kubernetes does not know', 'minAvailable: 1', 'minAvailables: 1', 'minAvailables'],
    ['a value of another type', 'replicas: 2', "replicas: 'two'", 'replicas'],
    ['a field that is given twice', 'replicas: 2', 'replicas: 2\n  replicas: 3', 'replicas'],
  ])('is refused with %s', async (_, from, to, named) => {
    await expect(load(await broken(manifestFile, from, to))).rejects.toThrow(named);
  });
});
