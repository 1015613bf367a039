import { ConfigError, type ConfigProblem } from '../config/problem.ts';
import type { Environment } from '../config/load.ts';

/** How a worker tells what it does: sentences, or one JSON document a line. */
export type LogForm = 'text' | 'json';

export const logForms: readonly LogForm[] = ['text', 'json'];

/** Where `/metrics`, `/healthz` and `/readyz` are served. */
export interface MetricsPlace {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

/** The version that this process is of a deployment of workers, as Temporal's worker versioning knows it. */
export interface WorkerVersion {
  readonly deploymentName: string;
  readonly buildId: string;
}

/** How a worker process runs, beside its configuration. */
export interface WorkerSettings {
  /** Null: nothing is served. */
  readonly metrics: MetricsPlace | null;
  readonly log: LogForm;
  /** Null: it is of no version, and takes any task. */
  readonly version: WorkerVersion | null;
}

/** What was given on the command line; each goes before its variable. */
export interface WorkerFlags {
  readonly metricsPort?: number;
  readonly metricsHost?: string;
  readonly log?: LogForm;
}

export const workerVariables = {
  metricsPort: 'REPLYLANE_METRICS_PORT',
  metricsHost: 'REPLYLANE_METRICS_HOST',
  log: 'REPLYLANE_LOG',
  deploymentName: 'REPLYLANE_DEPLOYMENT_NAME',
  buildId: 'REPLYLANE_BUILD_ID',
} as const;

/** The metrics have no password: who else may read them is for the operator to open. */
export const defaultMetricsHost = '127.0.0.1';

/** Reads flags, and variables for what they leave out; blank counts as unset. Throws a `ConfigError` for a bad one. */
export function workerSettings(env: Environment, flags: WorkerFlags = {}): WorkerSettings {
  const problems: ConfigProblem[] = [];
  const read = (name: string): string | undefined => env[name]?.trim() || undefined;
  const portText = read(workerVariables.metricsPort);
  const port = flags.metricsPort ?? (portText === undefined ? undefined : wholePort(portText));
  if (port !== undefined && Number.isNaN(port)) {
    problems.push({
      field: workerVariables.metricsPort,
      problem: 'give a port from 0 (any that is free) to 65535',
    });
  }
  const form = flags.log ?? read(workerVariables.log) ?? 'text';
  if (!isLogForm(form))
    problems.push({ field: workerVariables.log, problem: `give ${logForms.join(' or ')}` });
  const version = versionOf(read);
  if (version.kind === 'problem') problems.push(version);
  if (problems.length > 0 || version.kind === 'problem' || !isLogForm(form))
    throw new ConfigError('the environment', problems);
  const host = flags.metricsHost ?? read(workerVariables.metricsHost) ?? defaultMetricsHost;
  return {
    metrics: port === undefined ? null : { host, port },
    log: form,
    version: version.kind === 'version' ? version.version : null,
  };
}

type VersionReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'version'; readonly version: WorkerVersion }
  | ({ readonly kind: 'problem' } & ConfigProblem);

/** Either of the two alone would leave a worker that somebody believes to be of a version. */
function versionOf(read: (name: string) => string | undefined): VersionReading {
  const [deploymentName, buildId] = [read(workerVariables.deploymentName), read(workerVariables.buildId)];
  if (deploymentName !== undefined && buildId !== undefined)
    return { kind: 'version', version: { deploymentName, buildId } };
  if (deploymentName === undefined && buildId === undefined) return { kind: 'none' };
  const [given, other] =
    buildId === undefined
      ? [workerVariables.deploymentName, workerVariables.buildId]
      : [workerVariables.buildId, workerVariables.deploymentName];
  return { kind: 'problem', field: other, problem: `give it too, or leave out ${given}` };
}

function wholePort(text: string): number {
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port <= 65_535 ? port : NaN;
}

function isLogForm(text: string): text is LogForm {
  return (logForms as readonly string[]).includes(text);
}
