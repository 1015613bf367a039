import { Connection } from '@temporalio/client';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, inject, it } from 'vitest';
import { startDevServer, type DevServer, type DevServerOptions } from '../../tools/temporal/dev-server.ts';
import { findTemporalCli, temporalAddressFromEnv } from '../../tools/temporal/launcher.ts';
import { findTimeSkippingServer } from '../../tools/temporal/time-skipping-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'replylane-launcher-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function executable(name: string, script: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

function linkToCli(name: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  symlinkSync(inject('temporalCliPath'), path);
  return path;
}

describe('findTemporalCli', () => {
  it('takes the executable that TEMPORAL_CLI_PATH names before the one on PATH', async () => {
    const named = linkToCli('named/my-temporal');
    const onPath = linkToCli('on-path/temporal');
    const PATH = join(onPath, '..');
    await expect(findTemporalCli({ TEMPORAL_CLI_PATH: named, PATH })).resolves.toEqual({
      path: named,
      source: 'TEMPORAL_CLI_PATH',
    });
    await expect(findTemporalCli({ TEMPORAL_CLI_PATH: '', PATH })).resolves.toEqual({
      path: onPath,
      source: 'PATH',
    });
  });

  it('names the variable when TEMPORAL_CLI_PATH names nothing, and does not look further', async () => {
    const missing = join(folder, 'missing');
    await expect(findTemporalCli({ TEMPORAL_CLI_PATH: missing })).rejects.toThrow(
      `TEMPORAL_CLI_PATH names ${missing}, which does not exist.`,
    );
  });

  it('refuses a TEMPORAL_CLI_PATH that is no Temporal CLI', async () => {
    const other = executable('other', 'echo something else');
    await expect(findTemporalCli({ TEMPORAL_CLI_PATH: other })).rejects.toThrow(
      /TEMPORAL_CLI_PATH.*does not run/,
    );
  });

  it('passes over a broken temporal on PATH', async () => {
    const broken = executable('broken/temporal', 'exit 3');
    const good = linkToCli('good/temporal');
    const PATH = [join(broken, '..'), join(good, '..')].join(':');
    await expect(findTemporalCli({ PATH })).resolves.toEqual({ path: good, source: 'PATH' });
  });
});

it('counts an empty TEMPORAL_ADDRESS as unset', () => {
  expect(temporalAddressFromEnv({ TEMPORAL_ADDRESS: ' ' })).toBeUndefined();
  expect(temporalAddressFromEnv({})).toBeUndefined();
  expect(temporalAddressFromEnv({ TEMPORAL_ADDRESS: 'temporal:7233' })).toBe('temporal:7233');
});

it('names the variable when TEMPORAL_TEST_SERVER_PATH names nothing', async () => {
  await expect(findTimeSkippingServer({ TEMPORAL_TEST_SERVER_PATH: join(folder, 'none') })).rejects.toThrow(
    /TEMPORAL_TEST_SERVER_PATH names .* does not exist/,
  );
});

describe('startDevServer', () => {
  const started: DevServer[] = [];
  afterEach(async () => {
    await Promise.all(started.splice(0).map((server) => server.kill()));
  });

  async function start(options: DevServerOptions = {}): Promise<DevServer> {
    const server = await startDevServer({ cliPath: inject('temporalCliPath'), ...options });
    started.push(server);
    return server;
  }

  it('answers with 30 days of retention and the search attributes, and serves the Web UI', async () => {
    const server = await start();
    const connection = await Connection.connect({ address: server.address });
    try {
      const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
      expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
      const { customAttributes } = await connection.operatorService.listSearchAttributes({
        namespace: 'default',
      });
      // 2 is Keyword and 6 Datetime in the server's IndexedValueType.
      expect(customAttributes).toMatchObject({ ReplyState: 2, ReplyBot: 2, ReplySince: 6 });
      expect((await fetch(server.webUi)).status).toBe(200);
    } finally {
      await connection.close();
    }
  });

  it('allows more than ten updates in flight', async () => {
    const server = await start();
    const connection = await connectWithoutRetries(server.address);
    try {
      await expect(updatesAdmitted(connection, 25)).resolves.toBe(25);
    } finally {
      await connection.close();
    }
  });

  it('has the server admit only as many updates in flight as the dynamic config says', async () => {
    const server = await start({ dynamicConfig: { 'history.maxInFlightUpdates': 3 } });
    const connection = await connectWithoutRetries(server.address);
    try {
      await expect(updatesAdmitted(connection, 8)).resolves.toBe(3);
    } finally {
      await connection.close();
    }
  });

  it('keeps its data in the file through a crash, and starts again on it', async () => {
    const dbFilename = join(folder, 'crash.sqlite');
    const first = await start({ dbFilename });
    const before = await Connection.connect({ address: first.address });
    await startBareWorkflow(before, 'kept');
    await before.close();
    await first.kill();
    const second = await start({ dbFilename, port: Number(first.address.split(':')[1]) });
    expect(second.address).toBe(first.address);
    const after = await Connection.connect({ address: second.address });
    try {
      const described = await after.workflowService.describeWorkflowExecution({
        namespace: 'default',
        execution: { workflowId: 'kept' },
      });
      expect(described.workflowExecutionInfo?.execution?.workflowId).toBe('kept');
    } finally {
      await after.close();
    }
  });

  it('ends the process on stop', async () => {
    const server = await start();
    expect(isAlive(server.pid)).toBe(true);
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
    await expect(server.exited).resolves.toBe('exit code 0');
    await server.stop();
  });

  it('rejects with the last lines of the server when it cannot start', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const bound = taken.address();
    if (bound === null || typeof bound === 'string') throw new Error('no port');
    try {
      await expect(start({ port: bound.port })).rejects.toThrow(
        new RegExp(`ended before it answered[^]*port ${bound.port}[^]*address already in use`),
      );
    } finally {
      taken.close();
    }
  });
});

/** The client's own retries of a refused call would hide the refusal. */
function connectWithoutRetries(address: string): Promise<Connection> {
  return Connection.connect({ address, interceptors: [] });
}

async function startBareWorkflow(connection: Connection, workflowId: string): Promise<void> {
  await connection.workflowService.startWorkflowExecution({
    namespace: 'default',
    workflowId,
    workflowType: { name: 'none' },
    taskQueue: { name: 'nobody-polls' },
    requestId: workflowId,
  });
}

/** Nobody answers the updates, so all that the server admits stay in flight; the others are refused at once. */
async function updatesAdmitted(connection: Connection, sent: number): Promise<number> {
  await startBareWorkflow(connection, 'updated');
  const refused = await Promise.all(
    Array.from({ length: sent }, async (_, index) => {
      try {
        await connection.withDeadline(Date.now() + 3_000, () =>
          connection.workflowService.updateWorkflowExecution({
            namespace: 'default',
            workflowExecution: { workflowId: 'updated' },
            waitPolicy: { lifecycleStage: 2 },
            request: { meta: { updateId: `u${index}`, identity: 'test' }, input: { name: 'any' } },
          }),
        );
        return false;
      } catch (error) {
        return String(error).includes('RESOURCE_EXHAUSTED');
      }
    }),
  );
  return refused.filter((isRefused) => !isRefused).length;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
