import { type Client, isGrpcServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { TemporalUnreachableError } from './errors.ts';

/** The gRPC codes that this client tells apart, by their numbers in the gRPC standard. */
export const grpcCode = {
  cancelled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
} as const;

const refusedCredentials = 'it refused the credentials: check TEMPORAL_API_KEY and the TLS settings';
const noAnswer = 'it does not answer: start it (replylane dev), or set TEMPORAL_ADDRESS to where it is';

/** What it means, and what to do, when Temporal gives one of these codes. */
export const silences: ReadonlyMap<number, string> = new Map([
  [grpcCode.unavailable, noAnswer],
  [grpcCode.deadlineExceeded, noAnswer],
  // How a call that met its deadline ends at times.
  [grpcCode.cancelled, noAnswer],
  [grpcCode.resourceExhausted, 'it is too busy to answer: try again later'],
  [grpcCode.permissionDenied, refusedCredentials],
  [grpcCode.unauthenticated, refusedCredentials],
]);

/** What a question to a worker came to. */
export type Asked<T> =
  | { readonly kind: 'answer'; readonly value: T }
  /** Temporal is there, but no worker answered in time. */
  | { readonly kind: 'no_worker'; readonly why: string };

/** A client of Temporal with a bound on every call: without one, a call to a server that is gone waits for ever. */
export class TemporalLink {
  readonly client: Client;
  readonly callTimeoutMs: number;
  readonly workerTimeoutMs: number;

  constructor(client: Client, options: { readonly callTimeoutMs: number; readonly workerTimeoutMs: number }) {
    this.client = client;
    this.callTimeoutMs = options.callTimeoutMs;
    this.workerTimeoutMs = options.workerTimeoutMs;
  }

  /** A call that Temporal itself answers. Throws a `TemporalUnreachableError` when it does not. */
  async call<T>(fn: () => Promise<T>, timeoutMs: number = this.callTimeoutMs): Promise<T> {
    try {
      return await this.client.withDeadline(Date.now() + timeoutMs, fn);
    } catch (error) {
      throw this.translated(error);
    }
  }

  /** Gives the error itself, or the one that says Temporal did not answer. */
  translated(error: unknown): unknown {
    if (error instanceof NamespaceNotFoundError) {
      return this.unreachable(
        `it has no namespace "${error.namespace}": create it, or set TEMPORAL_NAMESPACE`,
        error,
      );
    }
    const why = silences.get(grpcCodeOf(error) ?? -1);
    return why === undefined ? error : this.unreachable(why, error);
  }

  /** Where this client looks for Temporal, as far as its connection tells. */
  get address(): string {
    const { options } = this.client.connection as { options?: { address?: unknown } };
    return typeof options?.address === 'string' ? options.address : 'the configured address';
  }

  private unreachable(why: string, cause: unknown): TemporalUnreachableError {
    return new TemporalUnreachableError(`Temporal at ${this.address}: ${why}`, { cause });
  }
}

/** The gRPC code of an error of the SDK, or of what caused it. */
export function grpcCodeOf(error: unknown): number | undefined {
  if (isGrpcServiceError(error)) return error.code;
  return error instanceof Error && error.cause !== undefined ? grpcCodeOf(error.cause) : undefined;
}

/** What the server said, without the wrapping of the SDK. */
export function grpcDetailsOf(error: unknown): string {
  if (isGrpcServiceError(error)) return error.details;
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? grpcDetailsOf(error.cause) : error.message;
}
