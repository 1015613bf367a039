import { createSecureContext } from 'node:tls';
import type { ConnectionOptions } from '@temporalio/client';
import { type ClientConnectConfig, loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import { ConnectionSettingsError } from './errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where and how to reach Temporal. `connection` may carry secrets: neither logged nor shown. */
export interface ConnectionSettings {
  readonly address: string;
  readonly namespace: string;
  readonly connection: ConnectionOptions;
}

const defaultAddress = '127.0.0.1:7233';
const certVariable = 'TEMPORAL_TLS_CLIENT_CERT_PATH';
const keyVariable = 'TEMPORAL_TLS_CLIENT_KEY_PATH';

/**
 * Reads `TEMPORAL_*` and Temporal's own configuration file. Empty variables count as unset, as shells and compose files
 * write them. Throws a `ConnectionSettingsError` that names the variable, and repeats none of its contents.
 */
export function connectionSettings(env: Environment = process.env): ConnectionSettings {
  const set = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || (name.startsWith('TEMPORAL_') && value.trim() === '') ? [] : [[name, value]],
    ),
  );
  requireBoolean(set, 'TEMPORAL_TLS');
  refuseUnverifiedHost(set);
  const { connectionOptions, namespace } = readSettings(set);
  if (connectionOptions.apiKey && connectionOptions.tls === false) {
    throw new ConnectionSettingsError(
      'TEMPORAL_API_KEY would travel unencrypted: turn TEMPORAL_TLS on, or unset the key',
    );
  }
  requireUsableTls(connectionOptions.tls);
  const address = connectionOptions.address ?? defaultAddress;
  const connection: ConnectionOptions = {
    ...(connectionOptions as ConnectionOptions),
    address,
    // A proxy set for the outside must not be asked for a server on this machine.
    ...(isLoopback(address) ? { channelArgs: { 'grpc.enable_http_proxy': 0 } } : {}),
  };
  return { address, namespace: namespace ?? 'default', connection };
}

/** Any other word than these would turn TLS off without a sound. */
function requireBoolean(env: Record<string, string>, variable: string): void {
  const value = env[variable];
  if (value === undefined || ['1', '0', 'true', 'false'].includes(value)) return;
  throw new ConnectionSettingsError(
    `${variable} is neither "true" nor "false": use one of them, or unset it`,
  );
}

/** The SDK knows this variable, and does not do what it says. */
function refuseUnverifiedHost(env: Record<string, string>): void {
  const variable = 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION';
  requireBoolean(env, variable);
  if (env[variable] !== '1' && env[variable] !== 'true') return;
  throw new ConnectionSettingsError(
    `${variable} cannot be had: unset it, and name the server's certificate in TEMPORAL_TLS_SERVER_CA_CERT_PATH ` +
      'and its name in TEMPORAL_TLS_SERVER_NAME',
  );
}

function readSettings(env: Record<string, string>): ClientConnectConfig {
  try {
    const profile = loadClientConfigProfile({ overrideEnvVars: env });
    const cert = profile.tls?.clientCert;
    const key = profile.tls?.clientKey;
    if (!profile.tls?.disabled && (cert === undefined) !== (key === undefined)) {
      const [given, other] = cert ? [certVariable, keyVariable] : [keyVariable, certVariable];
      throw new ConnectionSettingsError(
        `a client certificate takes a key: with ${given} (or its _DATA) set ${other} (or its _DATA) too`,
      );
    }
    // An empty key, as a template may leave it in Temporal's own file, would turn TLS on.
    if (profile.apiKey?.trim() === '') delete profile.apiKey;
    return toClientOptions(profile);
  } catch (error) {
    if (error instanceof ConnectionSettingsError) throw error;
    // A parser shows the lines it cannot read, and they may hold a key (invariant 8).
    const [why] = (error instanceof Error ? error.message : String(error)).split('\n');
    const path = (error as NodeJS.ErrnoException).path;
    const variable = Object.keys(env).find((name) => name.startsWith('TEMPORAL_') && env[name] === path);
    throw new ConnectionSettingsError(
      `the settings for Temporal cannot be used: ${variable === undefined ? '' : `${variable}: `}${why}`,
    );
  }
}

/** A certificate that cannot be read would look like a server that does not answer. */
function requireUsableTls(tls: ClientConnectConfig['connectionOptions']['tls']): void {
  if (typeof tls !== 'object' || tls === null) return;
  const { serverRootCACertificate: ca, clientCertPair: pair } = tls;
  if (ca) requireReadable('TEMPORAL_TLS_SERVER_CA_CERT_PATH', { ca: Buffer.from(ca) });
  if (!pair) return;
  const cert = Buffer.from(pair.crt);
  const key = Buffer.from(pair.key);
  requireReadable(certVariable, { cert });
  requireReadable(keyVariable, { key });
  requireReadable(`${certVariable} and ${keyVariable}, together`, { cert, key });
}

function requireReadable(variable: string, parts: Parameters<typeof createSecureContext>[0]): void {
  if (parts?.ca instanceof Buffer && !parts.ca.includes('-----BEGIN CERTIFICATE-----'))
    throw new ConnectionSettingsError(`${variable} (or its _DATA): it holds no certificate in PEM form`);
  try {
    createSecureContext(parts);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new ConnectionSettingsError(
      `${variable} (or its _DATA) cannot be used (${code}): give a certificate and its own key in PEM form, the key without a password`,
    );
  }
}

function isLoopback(address: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(address);
}
