import { defaultGrpcRetryOptions, isRetryableError, makeGrpcRetryInterceptor } from '@temporalio/client';
import { grpcCode } from './temporal-link.ts';

type RetryOptions = Parameters<typeof makeGrpcRetryInterceptor>[0];
type Status = Parameters<RetryOptions['retryableDecider']>[1];

/** Between two runs of a workflow, or while its last task is repeated, there are mostly milliseconds. */
const closingPauseMs = 50;
/** A last task that another worker must replay takes seconds. */
const closingTries = 100;

/**
 * How calls to Temporal are repeated: as the SDK does, except where a workflow is between two runs. The server calls that
 * "resource exhausted", which the SDK answers with a pause of a second and more; claims cannot wait that long (rule 11).
 */
export function temporalRetries(): RetryOptions {
  const usual = defaultGrpcRetryOptions();
  return {
    delayFunction: (attempt, status) =>
      isClosing(status) ? closingPauseMs * (0.8 + 0.4 * Math.random()) : usual.delayFunction(attempt, status),
    retryableDecider: (attempt, status) =>
      isClosing(status)
        ? attempt < closingTries && isRetryableError(status)
        : usual.retryableDecider(attempt, status),
  };
}

function isClosing({ code, details }: Status): boolean {
  return code === grpcCode.resourceExhausted && /workflow is closing/i.test(details);
}
