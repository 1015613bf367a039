import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { contentHash, cooldownWorkflowId, replyWorkflowId } from '../../domain/ids.ts';
import type { LaneView } from '../../domain/lane/show.ts';
import type { ReplyRecord } from '../../domain/record.ts';
import { type BuiltImage, buildImage } from '../../tools/cluster/built-image.ts';
import { type ComposeProject, loadCompose, serviceOf } from '../../tools/cluster/compose-file.ts';
import {
  type ImageWorker,
  type ImageWorkerOptions,
  startImageWorker,
} from '../../tools/cluster/image-worker.ts';
import { type ClusterPrograms, TemporalCluster } from '../../tools/cluster/temporal-cluster.ts';
import { isRoot } from '../../tools/cluster/unprivileged.ts';
import { cooldownQuery } from '../../workflows/protocol.ts';
import { type FakeTelegram, startFakeTelegram } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Everything of docker-compose.yml but the engine, for one test file, with the fake service beside it. */
export class ClusterRig {
  readonly cluster: TemporalCluster;
  readonly project: ComposeProject;
  readonly folder: string;
  readonly fake: FakeTelegram;
  image: BuiltImage | undefined;
  readonly workers: ImageWorker[] = [];
  #client: Client | undefined;

  private constructor(cluster: TemporalCluster, project: ComposeProject, folder: string, fake: FakeTelegram) {
    this.cluster = cluster;
    this.project = project;
    this.folder = folder;
    this.fake = fake;
  }

  /** Starts PostgreSQL and the fake service with these bots. */
  static async start(
    programs: ClusterPrograms,
    deployCheck: string,
    bots: readonly string[],
  ): Promise<ClusterRig> {
    const folder = await mkdtemp(join(tmpdir(), 'replylane-cluster-'));
    const project = await loadCompose(deployCheck, { POSTGRES_PASSWORD: 'a-Password-of-48-letters-in-hex' });
    const cluster = await TemporalCluster.start(programs, project, folder);
    const fake = await startFakeTelegram({
      bots: Object.fromEntries(bots.map((name) => [Rig.tokenOf(name), { name }])),
    });
    const rig = new ClusterRig(cluster, project, folder, fake);
    await rig.#writeConfig(bots);
    return rig;
  }

  async buildImage(): Promise<BuiltImage> {
    this.image = await buildImage(join(this.folder, 'image'));
    return this.image;
  }

  /** With what a process of the image runs. */
  imageOptions(): ImageWorkerOptions {
    if (this.image === undefined) throw new Error('the image is not built');
    return {
      image: this.image,
      service: serviceOf(this.project, 'worker'),
      temporalAddress: this.cluster.address,
      configFolder: join(this.folder, 'config'),
    };
  }

  async addWorker(): Promise<ImageWorker> {
    const worker = await startImageWorker(this.imageOptions());
    this.workers.push(worker);
    return worker;
  }

  async client(): Promise<Client> {
    this.#client ??= new Client({ connection: await Connection.connect({ address: this.cluster.address }) });
    return this.#client;
  }

  /** Starts replies of one bot to eight chats, in each chat one after the other; the key is the text and the order. */
  async startReplies(bot: string, count: number): Promise<readonly string[]> {
    const keys = Array.from({ length: count }, (_, i) => String(i));
    for (const i of keys.keys()) await this.#startReply(bot, i);
    return keys;
  }

  /** The same without an end, so many ahead of what the service has taken, until stopped; then gives the keys. */
  startLoad(bot: string, ahead: number): { stop(): Promise<readonly string[]> } {
    let isStopped = false;
    const keys: string[] = [];
    const work = (async () => {
      while (!isStopped) {
        if (keys.length - this.fake.stored(bot).length >= ahead) await sleep(50);
        else keys.push(await this.#startReply(bot, keys.length));
      }
    })();
    // Whoever stops it hears of a failure.
    work.catch(() => {});
    return {
      async stop() {
        isStopped = true;
        await work;
        return keys;
      },
    };
  }

  async #startReply(bot: string, n: number): Promise<string> {
    const reply = textReply(bot, String(n), 100 + (n % 8), n < 8 ? {} : { after: String(n - 8) });
    const client = await this.client();
    await client.workflow.start('replyWorkflow', {
      workflowId: replyWorkflowId(reply),
      taskQueue: 'replylane',
      args: [reply],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      memo: { contentHash: contentHash(reply.content) },
    });
    return reply.key;
  }

  /** Waits until the lane of a bot is cooling down and every request is answered. */
  async untilClosed(bot: string): Promise<void> {
    const lane = (await this.client()).workflow.getHandle(cooldownWorkflowId(bot));
    let last: LaneView | undefined;
    await waitUntil(
      async () => {
        last = await lane.query(cooldownQuery);
        return last.notBefore !== null && last.outstanding === 0;
      },
      { withinMs: 20_000, what: () => `the lane of ${bot} to be closed, now ${JSON.stringify(last)}` },
    );
  }

  /** The record of a reply that has ended; waits for that. */
  async result(bot: string, key: string): Promise<ReplyRecord> {
    const client = await this.client();
    return (await client.workflow.getHandle(replyWorkflowId({ bot, key })).result()) as ReplyRecord;
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.process.end('SIGKILL')));
    await this.#client?.connection.close();
    await this.fake.stop();
    await this.cluster.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** As an operator does it: tokens that only the image's user may read. */
  async #writeConfig(bots: readonly string[]): Promise<void> {
    const folder = join(this.folder, 'config');
    await mkdir(join(folder, 'secrets'), { recursive: true });
    for (const bot of bots) {
      const file = join(folder, 'secrets', bot);
      await writeFile(file, `${Rig.tokenOf(bot)}\n`);
      await chmod(file, 0o400);
      if (isRoot) await chown(file, 1000, 1000);
    }
    const settings = (bot: string) => ({
      contract: 'telegram',
      tokenFile: `secrets/${bot}`,
      apiRoot: this.fake.apiRoot,
    });
    const config = { bots: Object.fromEntries(bots.map((bot) => [bot, settings(bot)])) };
    await writeFile(join(folder, 'replylane.config.json'), JSON.stringify(config));
  }
}
