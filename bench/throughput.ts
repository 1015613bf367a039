import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { DevServerOptions } from '../tools/temporal/dev-server.ts';
import { startNode } from '../test/support/rig/worker-process.ts';
import { Rig, textReply } from '../test/support/rig/rig.ts';
import { type Figure, median, round } from './figure.ts';

/** So many that the seconds at a round's end, in which the last ones wait for a poll, count for little. */
const workflowsPerRound = 600;
const rounds = 3;
/** Fewer than one process lets in for one bot at a time. */
const inFlight = 32;

/**
 * What a reply costs: its events, and replies per second over bare workflows, in turns on one server. Once with the server's
 * SQLite on a file, as a server that outlives its process has it, and once in memory.
 */
export async function measureThroughput(note: (line: string) => void): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'replylane-bench-'));
  try {
    const onFile = await measureOn(note, { dbFilename: join(folder, 'temporal.db') }, 'a file');
    return [...onFile, ...(await measureOn(note, {}, 'memory')).slice(1)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureOn(
  note: (line: string) => void,
  server: DevServerOptions,
  where: string,
): Promise<Figure[]> {
  const unpaced = { limits: { bot: [], chat: [], group: [] }, maxOutstanding: 100 };
  const rig = await Rig.start({ bots: { bench: { settings: unpaced } }, server });
  const bare = await startNode('bench/bare/worker.js', { TEMPORAL_ADDRESS: rig.server.address });
  try {
    await rig.start(textReply('bench', 'first', 1));
    await rig.result('bench', 'first');
    const events = (await rig.handle('bench', 'first').fetchHistory()).events?.length ?? 0;
    const pairs: { ours: number; bare: number }[] = [];
    for (let turn = 0; turn <= rounds; turn++) {
      const bareRate = await rate((i) => startBare(rig.client, `bare-${turn}-${i}`));
      const ourRate = await rate(async (i) => {
        const handle = await rig.start(textReply('bench', `r-${turn}-${i}`, 10_000 + turn * 1000 + i));
        await handle.result();
      });
      note(`SQLite in ${where}, round ${turn}: bare ${round(bareRate, 1)}/s, replies ${round(ourRate, 1)}/s`);
      // The first round warms up both.
      if (turn > 0) pairs.push({ ours: ourRate, bare: bareRate });
    }
    const ratio = median(pairs.map((pair) => pair.ours / pair.bare));
    const requests = rig.fake.arrivals.filter((arrival) => arrival.text === 'first').length;
    return [
      {
        what: 'history events, and requests, of a reply that is sent at once',
        measured: `${events} events, ${requests} request`,
        goal: 'at most 14, and 1',
        met: events <= 14 && requests === 1,
      },
      {
        what: `replies per second over bare workflows with one no-op activity, SQLite in ${where} (median of ${rounds} pairs of ${workflowsPerRound})`,
        measured: `${round(ratio)} (replies ${round(median(pairs.map((pair) => pair.ours)), 1)}/s, bare ${round(median(pairs.map((pair) => pair.bare)), 1)}/s)`,
        goal: 'at least 0.9',
        met: ratio >= 0.9,
      },
    ];
  } finally {
    await bare.kill();
    await rig.close();
  }
}

async function startBare(client: Client, workflowId: string): Promise<void> {
  await client.workflow.execute('bareWorkflow', { workflowId, taskQueue: 'bare', args: [] });
}

/** Workflows per second, with a bounded number in flight. */
async function rate(run: (index: number) => Promise<void>): Promise<number> {
  const beginMs = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < workflowsPerRound) await run(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return (workflowsPerRound * 1000) / (performance.now() - beginMs);
}
