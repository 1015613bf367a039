import { existsSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ReplyRecord } from '../../domain/record.ts';
import { startDevService } from '../../tools/cluster/dev-service.ts';
import { runInImage } from '../../tools/cluster/image-worker.ts';
import { runCommand } from '../../tools/temporal/command.ts';
import { attributeTypes } from '../../workflows/names.ts';
import {
  type Arrival,
  duplicates,
  earlyArrivals,
  outOfOrder,
  step,
  unsafeRepeats,
} from '../support/fake-service/index.ts';
import { ClusterRig } from './cluster-rig.ts';

let rig: ClusterRig;

beforeAll(async () => {
  rig = await ClusterRig.start(inject('clusterPrograms'), inject('deployCheckPath'), ['stored', 'rolling']);
});

afterAll(async () => {
  expect(rig.fake.problems).toEqual([]);
  await rig.close();
});

const attributes = Object.keys(attributeTypes);

async function attributesOf({ operatorService }: Pick<Connection, 'operatorService'>): Promise<string[]> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace: 'default' });
  return Object.keys(customAttributes ?? {});
}

// In the order of the compose file: each of these needs those before it.
describe('the services of docker-compose.yml', () => {
  it('schema: makes both databases, and may run again', async () => {
    for (const run of ['first', 'second']) {
      const { code, output } = await rig.cluster.runSchemaJob();
      expect(code, `${run} run:\n${output}`).toBe(0);
    }
  });

  it('temporal: its dynamic configuration is right, and it starts on these databases', async () => {
    const { server } = inject('clusterPrograms');
    const { code, stdout } = await runCommand(server, ['validate-dynamic-config', rig.cluster.dynamicConfig]);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/error|warning/);
    await rig.cluster.startServer();
  });

  it('bootstrap: makes the namespace with 30 days and the search attributes, and may run again', async () => {
    for (const run of ['first', 'second']) {
      const { code, output } = await rig.cluster.runBootstrap();
      expect(code, `${run} run:\n${output}`).toBe(0);
    }
    const { connection } = await rig.client();
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 86_400);
    expect(await attributesOf(connection)).toEqual(expect.arrayContaining([...attributes]));
  });

  it('dev: is a Temporal in one process, with the search attributes', async () => {
    const dev = await startDevService(inject('clusterPrograms').cli, rig.project, rig.folder);
    try {
      const connection = await Connection.connect({ address: dev.address });
      expect(await attributesOf(connection)).toEqual(expect.arrayContaining([...attributes]));
      await connection.close();
      expect((await fetch(dev.uiUrl)).status).toBe(200);
    } finally {
      await dev.stop();
    }
    expect(existsSync(join(rig.folder, 'dev.db'))).toBe(true);
  });

  it('ui: hides what can send again', async () => {
    await rig.cluster.startUi();
    const answer = await fetch(`${rig.cluster.uiUrl}/api/v1/settings`);
    expect(await answer.json()).toMatchObject({
      WorkflowResetDisabled: true,
      ActivityCommandsDisabled: true,
      StartWorkflowDisabled: true,
      BatchActionsDisabled: true,
      WorkflowSignalDisabled: false,
      WorkflowUpdateDisabled: false,
    });
  });
});

describe('the image of the Dockerfile', () => {
  it('is built by its own commands, with no secret and no tool in it', { timeout: 600_000 }, async () => {
    const { workdir, runs } = await rig.buildImage();
    for (const { command, outcome } of runs) process.stderr.write(`RUN ${command}: ${outcome}\n`);
    expect(readdirSync(workdir).toSorted()).toEqual(['bin', 'dist', 'node_modules', 'package.json']);
    expect(existsSync(join(workdir, 'dist', 'workflow-bundle.js'))).toBe(true);
    for (const tool of ['typescript', 'vitest', 'oxlint', '@temporalio/testing'])
      expect(existsSync(join(workdir, 'node_modules', tool)), tool).toBe(false);
  });

  it('has a worker that becomes healthy by the health check of compose, and has nothing to warn of', async () => {
    const [worker] = await Promise.all([rig.addWorker(), rig.addWorker()]);
    expect(worker.process.output()).not.toMatch(/warning|cannot/i);
    const metrics = await (await fetch(worker.metricsUrl)).text();
    expect(metrics).toMatch(/^replylane_worker_ready\S* 1$/m);
  });

  it('has the command line', async () => {
    const command = ['node', 'bin/replylane.mjs', 'review', 'list', '--fail-if-any'];
    const { code, tail } = await runInImage(rig.imageOptions(), command);
    expect(code, tail).toBe(0);
  });
});

describe('on this cluster', () => {
  const arrivalsOf = (bot: string): readonly Arrival[] =>
    rig.fake.arrivals.filter((arrival) => arrival.bot === bot);

  const expectAllSentOnce = async (bot: string, keys: readonly string[]): Promise<readonly ReplyRecord[]> => {
    const records = await Promise.all(keys.map((key) => rig.result(bot, key)));
    for (const { key, state, attempts } of records) {
      expect(state, key).toBe('sent');
      expect(attempts.map(({ outcome }) => outcome)).not.toContain('unknown');
    }
    expect(duplicates(rig.fake.stored(bot))).toEqual([]);
    expect(unsafeRepeats(arrivalsOf(bot))).toEqual([]);
    expect(outOfOrder(arrivalsOf(bot), ({ text }) => Number(text))).toEqual([]);
    return records;
  };

  it('the server killed with SIGKILL in the middle of a cooldown, and started again: all sent, none early, none twice', async () => {
    rig.fake.script('stored', { after: 6 }, step.flood(25));
    const keys = await rig.startReplies('stored', 40);
    await rig.fake.waitFor((fake) => fake.deadlines.some(({ bot }) => bot === 'stored'), {
      timeoutMs: 60_000,
    });
    // Nothing may be in flight: what is lost there is unknown, and rightly so.
    await rig.untilClosed('stored');
    expect(rig.fake.stored('stored').length).toBeLessThan(keys.length);
    await rig.cluster.killServer();
    await rig.cluster.startServer();
    await expectAllSentOnce('stored', keys);
    expect(earlyArrivals(arrivalsOf('stored'), rig.fake.deadlines, { inFlightMs: 5000 })).toEqual([]);
  });

  it('workers rolled over under load, one after the other: each ends by itself in time, and none made an unknown', async () => {
    rig.fake.script('rolling', { times: 'always' }, step.hold(700));
    const load = rig.startLoad('rolling', 24);
    const stored = (): number => rig.fake.stored('rolling').length;
    await rig.fake.waitFor(() => stored() >= 8, { timeoutMs: 60_000 });
    for (const old of rig.workers.slice(0, 2)) {
      await rig.addWorker();
      await rig.fake.waitFor(() => arrivalsOf('rolling').some(({ closedAtMs }) => closedAtMs === null));
      const stoppedAtMs = performance.now();
      expect(await old.process.end('SIGTERM'), old.process.output()).toBe(0);
      expect(performance.now() - stoppedAtMs).toBeLessThan(45_000);
      expect(await old.isHealthy()).toBe(false);
    }
    const storedByOld = stored();
    await rig.fake.waitFor(() => stored() >= storedByOld + 24, { timeoutMs: 60_000 });
    const records = await expectAllSentOnce('rolling', await load.stop());
    // All four had a part in it, or this has shown nothing.
    const senders = new Set(records.flatMap(({ attempts }) => attempts.map(({ worker }) => worker)));
    expect(senders).toEqual(new Set(rig.workers.map(({ process }) => `${process.pid}@${hostname()}`)));
  });
});
