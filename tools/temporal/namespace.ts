import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { setTimeout as sleep } from 'node:timers/promises';

export const NAMESPACE = 'default';
const DAY_MS = 86_400_000;
/** A key is remembered as long as its closed reply is (invariant 1); the development server keeps one day. */
export const RETENTION_DAYS = 30;
const ASK_EVERY_MS = 100;

/** Waits until the server at `address` answers for its namespace, then has it keep closed workflows for 30 days. */
export async function prepareNamespace(address: string, signal: AbortSignal): Promise<void> {
  const connection = Connection.lazy({
    address,
    // A proxy set for the outside must not be asked for a server on this machine.
    channelArgs: { 'grpc.enable_http_proxy': 0 },
  });
  try {
    await untilAnswered(connection, signal);
    await connection.workflowService.updateNamespace({
      namespace: NAMESPACE,
      config: { workflowExecutionRetentionTtl: msToTs(RETENTION_DAYS * DAY_MS) },
    });
    const days = await retentionDays(connection);
    if (days !== RETENTION_DAYS) throw new Error(`The server kept a retention of ${days} days.`);
  } finally {
    await connection.close();
  }
}

export async function retentionDays(connection: Connection): Promise<number> {
  const { config } = await connection.workflowService.describeNamespace({ namespace: NAMESPACE });
  return (Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1000) / DAY_MS;
}

async function untilAnswered(connection: Connection, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    try {
      await connection.withDeadline(Date.now() + 2_000, () => retentionDays(connection));
      return;
    } catch {
      await sleep(ASK_EVERY_MS);
    }
  }
}
