import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Evidence, LaneEvidence } from './evidence.ts';
import { slowestWireMs } from './draw-fault.ts';
import { type Schedule, botNames } from './fault.ts';
import { Injector } from './injector.ts';
import { readLane } from './lane-history.ts';
import { People } from './people.ts';
import { settle } from './settle.ts';
import { Stage, timings, windows } from './stage.ts';
import { Stream } from './stream.ts';

/** What a run leaves: evidence for the checks, and how it went. */
export interface RunRecord {
  readonly schedule: Schedule;
  readonly startedAt: string;
  readonly evidence: Evidence;
  readonly settledAfterMs: number;
  readonly handOvers: {
    readonly failures: Readonly<Record<string, number>>;
    readonly deduplicated: number;
  };
  readonly serverRestarts: number;
  /** How late timers of this process were: on a machine that has no time for it, a run tells less. */
  readonly lateMs: { readonly median: number; readonly p99: number };
  /** Worker processes that ended by themselves, or did not start. */
  readonly workerTrouble: readonly string[];
  /** Errors of the fake itself: a run that counts has none. */
  readonly fakeProblems: readonly string[];
}

/** Longer than any wait of a reply without news: for a lost run, for a place that belongs to nobody, for a stopped lane. */
const giveUpAfterMs = 150_000;
const resumeWithinMs = 60_000;
/** The timer by which lateness is measured. */
const timerMs = 10;

/** Plays a schedule, mends everything, waits for the replies to end, and gathers what there is to judge. */
export async function play(
  schedule: Schedule,
  { log, keep }: { readonly log: (line: string) => void; readonly keep: boolean },
): Promise<RunRecord> {
  log(
    `seed ${schedule.seed}: ${schedule.replies.length} replies, ${schedule.faults.length} faults, ${schedule.acts.length} acts`,
  );
  const stage = await Stage.start(log);
  const ending = new AbortController();
  const delays = monitorEventLoopDelay({ resolution: timerMs });
  delays.enable();
  try {
    const stream = new Stream(stage);
    const injector = new Injector(stage, ending.signal, log);
    const people = new People(stage, stream, ending.signal);
    const beganAtMs = Date.now();
    await playInstants(schedule, { stream, injector, people });
    const endedMs = performance.now();

    log('all faults end');
    ending.abort();
    await injector.ended();
    await stage.heal();
    await stream.ended();
    await people.resumeLanes(resumeWithinMs, log);
    const states = await settle(stage, stream.accepted, giveUpAfterMs, log);
    const settledAfterMs = Math.round(performance.now() - endedMs);
    await people.ended();
    const lanes: LaneEvidence[] = [];
    for (const bot of botNames) lanes.push(await readLane(stage.client, bot, timings));
    const { arrivals, deadlines, problems } = stage.fake;
    return {
      schedule,
      startedAt: new Date(beganAtMs).toISOString(),
      settledAfterMs,
      handOvers: { failures: stream.failures, deduplicated: stream.deduplicated },
      serverRestarts: injector.evidence.filter(
        ({ planned, firedAtMs }) => planned.fault.kind === 'server_kill' && firedAtMs !== null,
      ).length,
      lateMs: {
        median: lateOf(delays.percentile(50)),
        p99: lateOf(delays.percentile(99)),
      },
      workerTrouble: stage.slots.flatMap(({ trouble }, i) => trouble.map((words) => `worker ${i} ${words}`)),
      fakeProblems: problems.map(String),
      evidence: {
        settings: { ...timings, slowestWireMs, windows },
        replies: stream.accepted.map(({ planned: { bot, key, chat, chain }, acceptedAtMs }) => ({
          bot,
          key,
          chat: String(chat),
          after: chain?.after ?? null,
          order: chain?.order ?? null,
          acceptedAtMs,
          record: states.get(key)?.record ?? null,
          problem: states.get(key)?.problem ?? null,
          listedAtMs: people.listedAtMs.get(key) ?? null,
        })),
        acts: people.evidence,
        arrivals,
        stored: stage.fake.stored(),
        deadlines,
        sightings: stage.sightings,
        lanes,
        faults: injector.evidence,
      },
    };
  } finally {
    delays.disable();
    ending.abort();
    await stage.close({ keep });
    if (keep) log(`kept: ${stage.folder}`);
  }
}

/** Nanoseconds from one tick of the timer to the next, as the lateness of a tick. */
function lateOf(nanoseconds: number): number {
  return Math.max(0, Math.round(nanoseconds / 1e6 - timerMs));
}

/** Begins everything at its instant. */
async function playInstants(
  { durationMs, replies, faults, acts }: Schedule,
  players: { readonly stream: Stream; readonly injector: Injector; readonly people: People },
): Promise<void> {
  const beganMs = performance.now();
  const all = [
    ...replies.map((planned) => ({ atMs: planned.atMs, begin: () => players.stream.begin(planned) })),
    ...faults.map((planned) => ({ atMs: planned.atMs, begin: () => players.injector.begin(planned) })),
    ...acts.map((planned) => ({ atMs: planned.atMs, begin: () => players.people.begin(planned) })),
  ].sort((a, b) => a.atMs - b.atMs);
  for (const { atMs, begin } of all) {
    const restMs = beganMs + atMs - performance.now();
    if (restMs > 0) await sleep(restMs);
    begin();
  }
  await sleep(Math.max(0, beganMs + durationMs - performance.now()));
}
