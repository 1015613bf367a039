import { Client, Connection, makeGrpcRetryInterceptor } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { payloadCodec } from './codec/payload-codec.ts';
import { temporalRetries } from './closing-retry.ts';
import { type Environment, connectionSettings } from './connection-settings.ts';
import { TemporalUnreachableError } from './errors.ts';
import { grpcCode, grpcCodeOf, silences } from './temporal-link.ts';

const defaultConnectTimeoutMs = 4000;
const tlsWords = 'or TLS failed: check TEMPORAL_TLS_*, that is the certificates and the name of the server';
const plainWords = 'a server that takes TLS only needs TEMPORAL_TLS=true';

export interface ConnectOptions {
  readonly env?: Environment;
  readonly connectTimeoutMs?: number;
  /** Of the payloads; by default nothing is encrypted, and what is cannot be read (`payloadCodec`). */
  readonly codec?: PayloadCodec;
}

/** A connected client, within a few seconds. Throws a `TemporalUnreachableError` that names the address. */
export async function connectTemporal(options: ConnectOptions = {}): Promise<Client> {
  const { address, namespace, connection } = connectionSettings(options.env);
  const connectTimeout = options.connectTimeoutMs ?? defaultConnectTimeoutMs;
  try {
    const interceptors = [makeGrpcRetryInterceptor(temporalRetries())];
    const made = await Connection.connect({ ...connection, interceptors, connectTimeout });
    // A codec without keys still says which key is missing.
    const dataConverter = { payloadCodecs: [options.codec ?? payloadCodec()] };
    return new Client({ connection: made, namespace, dataConverter });
  } catch (error) {
    // A connection that cannot be made fails with many codes, or none: all mean that nobody answers there.
    const known = silences.get(grpcCodeOf(error) ?? -1);
    const silence = silences.get(grpcCode.unavailable);
    const why = known ?? silence;
    // A refused handshake has the code of a server that is not there.
    const hint = why === silence ? `; ${connection.tls ? tlsWords : plainWords}` : '';
    throw new TemporalUnreachableError(`Temporal at ${address}: ${why}${hint}`, { cause: error });
  }
}
