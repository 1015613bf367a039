import { Client, Connection, type ConnectionOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { temporalRetries } from './closing-retry.ts';
import { ConnectionSettingsError, TemporalUnreachableError } from './errors.ts';
import { type PayloadKeys, payloadCodec } from './payload-codec.ts';
import { grpcCode, grpcCodeOf, silences } from './temporal-link.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where and how to reach Temporal. `connection` may carry secrets: neither logged nor shown. */
export interface ConnectionSettings {
  readonly address: string;
  readonly namespace: string;
  readonly connection: ConnectionOptions;
}

const defaultAddress = '127.0.0.1:7233';
const defaultConnectTimeoutMs = 4000;

/**
 * Reads `TEMPORAL_*` and Temporal's own configuration file. Empty variables count as unset, as shells and compose files
 * write them. Throws a `ConnectionSettingsError` that names the variable.
 */
export function connectionSettings(env: Environment = process.env): ConnectionSettings {
  const set = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || (name.startsWith('TEMPORAL_') && value.trim() === '') ? [] : [[name, value]],
    ),
  );
  const { connectionOptions, namespace } = readSettings(set);
  if (connectionOptions.apiKey && connectionOptions.tls === false) {
    throw new ConnectionSettingsError(
      'TEMPORAL_API_KEY would travel unencrypted: turn TEMPORAL_TLS on, or unset the key',
    );
  }
  const address = connectionOptions.address ?? defaultAddress;
  const connection: ConnectionOptions = {
    ...(connectionOptions as ConnectionOptions),
    address,
    // A proxy set for the outside must not be asked for a server on this machine.
    ...(isLoopback(address) ? { channelArgs: { 'grpc.enable_http_proxy': 0 } } : {}),
  };
  return { address, namespace: namespace ?? 'default', connection };
}

/**
 * A connected client, within a few seconds. Throws a `TemporalUnreachableError` that names the address. Without
 * `payloadKeys` it writes plain, and says so where it meets a payload that it cannot read.
 */
export async function connectTemporal(
  options: {
    readonly env?: Environment;
    readonly connectTimeoutMs?: number;
    readonly payloadKeys?: PayloadKeys;
  } = {},
): Promise<Client> {
  const { address, namespace, connection } = connectionSettings(options.env);
  const dataConverter = {
    payloadCodecs: [payloadCodec(options.payloadKeys ?? { writeWith: null, keys: new Map() })],
  };
  const connectTimeout = options.connectTimeoutMs ?? defaultConnectTimeoutMs;
  try {
    const interceptors = [makeGrpcRetryInterceptor(temporalRetries())];
    const made = await Connection.connect({ ...connection, interceptors, connectTimeout });
    return new Client({ connection: made, namespace, dataConverter });
  } catch (error) {
    // A connection that cannot be made fails with many codes, or none: all mean that nobody answers there.
    const why = silences.get(grpcCodeOf(error) ?? -1) ?? silences.get(grpcCode.unavailable);
    throw new TemporalUnreachableError(`Temporal at ${address}: ${why}`, { cause: error });
  }
}

function readSettings(env: Record<string, string>): ReturnType<typeof loadClientConnectConfig> {
  try {
    return loadClientConnectConfig({ overrideEnvVars: env });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const path = (error as NodeJS.ErrnoException).path;
    const variable = Object.keys(env).find((name) => name.startsWith('TEMPORAL_') && env[name] === path);
    throw new ConnectionSettingsError(
      `the settings for Temporal cannot be used: ${variable === undefined ? '' : `${variable}: `}${why}`,
      { cause: error },
    );
  }
}

function isLoopback(address: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(address);
}
