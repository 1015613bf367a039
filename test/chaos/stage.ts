import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { ReplyClient } from '../../client/index.ts';
import { type FakeTelegram, type Windows, startFakeTelegram } from '../support/fake-service/index.ts';
import type { Sighting } from './evidence.ts';
import { expectFakeClocks } from './fake-clock.ts';
import { botNames, keyPattern, workerCount } from './fault.ts';
import { TemporalSlot } from './temporal-slot.ts';
import { WorkerSlot } from './worker-slot.ts';

/** What the service enforces and the bots are configured to keep: so narrow that it binds after every standstill. */
export const windows: Windows = {
  bot: [{ limit: 8, perMs: 1000 }],
  chat: [{ limit: 1, perMs: 1000 }],
  group: [
    { limit: 1, perMs: 1000 },
    { limit: 6, perMs: 10_000 },
  ],
};
/** The HTTP time-out and the claim's life are the defaults; the rest is shorter, so that a run of a minute sees it through. */
export const timings = {
  httpTimeoutMs: 20_000,
  connectTimeoutMs: 1500,
  claimLifeMs: 5000,
  heldPauseMs: 3000,
  unreachedBackoffMaxMs: 4000,
} as const;

/** Everything that plays along: a real server on a file, real worker processes behind proxies, the fake service. */
export class Stage {
  readonly temporal: TemporalSlot;
  readonly fake: FakeTelegram;
  readonly slots: readonly WorkerSlot[];
  readonly client: Client;
  readonly replies: ReplyClient;
  /** Requests as they left the workers. */
  readonly sightings: Sighting[];
  readonly #connection: Connection;
  readonly folder: string;

  private constructor(parts: {
    temporal: TemporalSlot;
    fake: FakeTelegram;
    slots: readonly WorkerSlot[];
    sightings: Sighting[];
    connection: Connection;
    folder: string;
  }) {
    this.temporal = parts.temporal;
    this.fake = parts.fake;
    this.slots = parts.slots;
    this.sightings = parts.sightings;
    this.client = new Client({ connection: parts.connection });
    this.replies = new ReplyClient(this.client, {
      keepOrder: false,
      contracts: Object.fromEntries(botNames.map((bot) => [bot, 'telegram'])),
    });
    this.#connection = parts.connection;
    this.folder = parts.folder;
  }

  static async start(log: (line: string) => void): Promise<Stage> {
    const folder = await mkdtemp(join(storeRoot(), 'replylane-chaos-'));
    await expectFakeClocks(folder);
    const temporal = await TemporalSlot.start(folder);
    const penalty = { atLeastMs: 2000, early: { kind: 'add_seconds', seconds: 2 } } as const;
    const rules = botNames.map((name) => [tokenOf(name), { name, windows, penalty }]);
    const fake = await startFakeTelegram({
      bots: Object.fromEntries(rules),
      // The lanes' histories and this record are compared: one clock for both, which no step of it can turn back.
      nowMs: () => performance.timeOrigin + performance.now(),
      idleCloseMs: 5000,
    });
    const sightings: Sighting[] = [];
    const onSent = (piece: Buffer): void => {
      const atMs = performance.timeOrigin + performance.now();
      for (const [key] of piece.toString('latin1').matchAll(keyPattern)) sightings.push({ key, atMs });
    };
    const slots = await Promise.all(
      Array.from({ length: workerCount }, (_, index) =>
        WorkerSlot.start({
          index,
          folder,
          temporalPort: temporal.port,
          servicePort: fake.port,
          configOf,
          env: Object.fromEntries(botNames.map((bot) => [variableOf(bot), tokenOf(bot)])),
          onSent,
          log,
        }),
      ),
    );
    const connection = await Connection.connect({ address: temporal.address });
    return new Stage({ temporal, fake, slots, sightings, connection, folder });
  }

  /** The worker that has a request in flight now. */
  slotInFlight(): WorkerSlot | undefined {
    return this.slots.find(({ service }) => service.busy > 0);
  }

  /** Mends everything: networks, clocks, processes, the service. Faults must have ended. */
  async heal(): Promise<void> {
    for (const { service, temporal } of this.slots) {
      for (const proxy of [service, temporal]) {
        proxy.set({ kind: 'pass' });
        // What was muted would be noticed by keep-alive, much later.
        proxy.resetAll();
      }
    }
    for (const slot of this.slots) slot.setClock(0);
    await this.fake.accept();
    for (const slot of this.slots) slot.hurry();
  }

  async close({ keep }: { readonly keep: boolean }): Promise<void> {
    await Promise.all(this.slots.map((slot) => slot.close()));
    await this.#connection.close();
    await Promise.all([this.fake.stop(), this.temporal.stop()]);
    if (!keep) await rm(this.folder, { recursive: true, force: true });
  }
}

/** The server waits for the disk at every write; its store survives a kill in memory too, and a slow disk is not the subject. */
function storeRoot(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}

function tokenOf(bot: string): string {
  return `${100_000 + bot.length}:TEST-TOKEN-OF-${bot}-abcdefghijklmnopqrstuvw`;
}

function variableOf(bot: string): string {
  return `CHAOS_TOKEN_${bot.toUpperCase()}`;
}

function configOf(apiRoot: string): unknown {
  const bot = (name: string): object => ({
    contract: 'telegram',
    tokenEnv: variableOf(name),
    apiRoot,
    limits: windows,
    ...timings,
  });
  return { bots: Object.fromEntries(botNames.map((name) => [name, bot(name)])) };
}
