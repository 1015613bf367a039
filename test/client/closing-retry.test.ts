import { describe, expect, test } from 'vitest';
import { temporalRetries } from '../../client/closing-retry.ts';
import { grpcCode } from '../../client/temporal-link.ts';

type Status = Parameters<ReturnType<typeof temporalRetries>['retryableDecider']>[1];

const failed = (code: number, details: string): Status => ({ code, details }) as Status;
const closing = failed(
  grpcCode.resourceExhausted,
  'workflow operation can not be applied because workflow is closing',
);
const overloaded = failed(
  grpcCode.resourceExhausted,
  'limit on number of concurrent in-flight updates has been reached',
);

describe('calls to a workflow that is between two runs', () => {
  test('L11: are repeated after about 50 ms, for some seconds', () => {
    const { delayFunction, retryableDecider } = temporalRetries();
    let waitedMs = 0;
    for (let attempt = 1; retryableDecider(attempt, closing); attempt++) {
      const delayMs = delayFunction(attempt, closing);
      expect(delayMs).toBeGreaterThanOrEqual(40);
      expect(delayMs).toBeLessThanOrEqual(60);
      waitedMs += delayMs;
    }
    expect(waitedMs).toBeGreaterThan(3000);
    expect(waitedMs).toBeLessThan(10_000);
  });

  test('L11: an overloaded one is left alone for a second and more, as the SDK does', () => {
    const { delayFunction, retryableDecider } = temporalRetries();
    expect(retryableDecider(1, overloaded)).toBe(true);
    expect(retryableDecider(10, overloaded)).toBe(false);
    for (let attempt = 1; attempt < 10; attempt++)
      expect(delayFunction(attempt, overloaded)).toBeGreaterThan(1000);
  });

  test('what cannot succeed is not repeated', () => {
    const { retryableDecider } = temporalRetries();
    expect(retryableDecider(1, failed(grpcCode.invalidArgument, 'workflow is closing'))).toBe(false);
    expect(retryableDecider(1, failed(grpcCode.unavailable, 'no connection'))).toBe(true);
  });
});
