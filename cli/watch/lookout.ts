import { WorkflowNotFoundError } from '@temporalio/common';
import { mapInOrder } from '../../client/concurrency.ts';
import { connectTemporal } from '../../client/connect.ts';
import { TemporalUnreachableError } from '../../client/errors.ts';
import { payloadCodec } from '../../client/codec/payload-codec.ts';
import type { PayloadKeys } from '../../client/codec/payload-keys.ts';
import { TemporalLink, grpcCode, grpcCodeOf } from '../../client/temporal-link.ts';
import { parseCooldownWorkflowId } from '../../domain/ids.ts';
import { type ReviewsByKind, readLane, readReviews } from '../../workers/metrics/temporal-readings.ts';
import { cooldownWorkflowType } from '../../workflows/names.ts';
import { type Glance, glanceOf } from './glance.ts';
import { type SentSample, ratePerSecond, withSample } from './rate.ts';

export interface LookoutOptions {
  /** With `TEMPORAL_*`. */
  readonly env: NodeJS.ProcessEnv;
  /** Undefined: every lane that runs. */
  readonly bots: readonly string[] | undefined;
  readonly payloadKeys: PayloadKeys;
}

const lanesAtOnce = 20;
const timeouts = { callTimeoutMs: 5000, workerTimeoutMs: 5000 };
/** What a Query comes to where nobody polls. */
const silentCodes: readonly (number | undefined)[] = [
  grpcCode.deadlineExceeded,
  grpcCode.cancelled,
  grpcCode.failedPrecondition,
];

/** Looks at lanes, again and again. What cannot be read is told in its place: one silent lane hides no other. */
export class Lookout {
  readonly #options: LookoutOptions;
  readonly #samples = new Map<string, readonly SentSample[]>();
  #link: TemporalLink | undefined;

  constructor(options: LookoutOptions) {
    this.#options = options;
  }

  /** Each lane as it is now; a single `unreachable` where Temporal does not answer. */
  async look(): Promise<readonly Glance[]> {
    try {
      const link = (this.#link ??= await connect(this.#options));
      const bots = this.#options.bots ?? (await runningLanes(link));
      const reviews = await reviewsOf(link, bots);
      const glances: Glance[] = [];
      const each = (bot: string): Promise<Glance> => this.#glance(link, bot, reviews?.get(bot));
      for await (const glance of mapInOrder(bots, lanesAtOnce, each)) glances.push(glance);
      return glances;
    } catch (error) {
      if (!(error instanceof TemporalUnreachableError)) throw error;
      return [{ kind: 'unreachable', at: new Date().toISOString(), problem: error.message }];
    }
  }

  async close(): Promise<void> {
    await this.#link?.client.connection.close();
  }

  async #glance(link: TemporalLink, bot: string, reviews: ReviewsByKind | undefined): Promise<Glance> {
    try {
      const lane = await readLane(link, bot);
      const sample = { sent: lane.sent, atMs: performance.now() };
      const samples = withSample(this.#samples.get(bot) ?? [], sample);
      this.#samples.set(bot, samples);
      return glanceOf(lane, {
        nowMs: Date.now(),
        sentPerSecond: ratePerSecond(samples),
        reviews: reviews ? countsOf(reviews) : null,
      });
    } catch (error) {
      this.#samples.delete(bot);
      return { kind: 'silent', at: new Date().toISOString(), bot, problem: silence(link, error) };
    }
  }
}

async function connect({ env, payloadKeys }: LookoutOptions): Promise<TemporalLink> {
  return new TemporalLink(await connectTemporal({ env, codec: payloadCodec(payloadKeys) }), timeouts);
}

/** Why a lane did not answer. Throws what is no matter of one lane. */
function silence(link: TemporalLink, error: unknown): string {
  if (error instanceof WorkflowNotFoundError)
    return 'there is no such lane: it begins when a worker with that bot starts';
  if (silentCodes.includes(grpcCodeOf(error)))
    return `no worker has answered within ${link.workerTimeoutMs / 1000} s: start one (replylane worker)`;
  const known = link.translated(error);
  if (known instanceof TemporalUnreachableError) throw known;
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}

/** Null where the list of workflows cannot tell, as in a namespace without our search attributes. */
async function reviewsOf(
  link: TemporalLink,
  bots: readonly string[],
): Promise<ReadonlyMap<string, ReviewsByKind> | null> {
  try {
    return await readReviews(link, bots);
  } catch (error) {
    if (error instanceof TemporalUnreachableError) throw error;
    return null;
  }
}

function countsOf({ unknown, held, budget }: ReviewsByKind): {
  readonly unknown: number;
  readonly all: number;
} {
  return { unknown: unknown.count, all: unknown.count + held.count + budget.count };
}

async function runningLanes(link: TemporalLink): Promise<readonly string[]> {
  const query = `WorkflowType = '${cooldownWorkflowType}' AND ExecutionStatus = 'Running'`;
  const list = link.client.workflow.list({ query })[Symbol.asyncIterator]();
  const bots: string[] = [];
  for (;;) {
    const { done, value } = await link.call(() => list.next());
    if (done) return bots.sort();
    const bot = parseCooldownWorkflowId(value.workflowId);
    if (bot !== undefined) bots.push(bot);
  }
}
