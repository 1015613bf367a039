import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { replyWorkflowId } from '../../domain/ids.ts';
import type { ReplyRecord } from '../../domain/record.ts';
import type { ActEvidence } from './evidence.ts';
import { type Act, type PlannedAct, botNames } from './fault.ts';
import type { Stage } from './stage.ts';
import type { Stream } from './stream.ts';

/** People cancel what has been handed over lately, while it may still be stopped. */
const latelyMs = 4000;

/** People: they look at the list of reviews, decide, cancel, reset, and handle lanes. What each did is kept. */
export class People {
  readonly evidence: ActEvidence[] = [];
  /** When each reply was first seen in the list of reviews. */
  readonly listedAtMs = new Map<string, number>();
  readonly #stage: Stage;
  readonly #stream: Stream;
  readonly #ending: AbortSignal;
  readonly #running = new Set<Promise<void>>();
  #reviews: readonly ReplyRecord[] = [];

  constructor(stage: Stage, stream: Stream, ending: AbortSignal) {
    this.#stage = stage;
    this.#stream = stream;
    this.#ending = ending;
  }

  begin({ n, act }: PlannedAct): void {
    const run = this.#act(n, act).catch(() => {});
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Ends all pauses; keeps at it until the lanes answer, or the time is up. */
  async resumeLanes(withinMs: number, log: (line: string) => void): Promise<void> {
    const untilMs = performance.now() + withinMs;
    for (const bot of botNames) {
      for (;;) {
        try {
          await this.#stage.replies.lane(bot).resume({ by: 'healer', reason: 'the run is over' });
          break;
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          if (performance.now() > untilMs) return log(`the lane of ${bot} could not be resumed: ${why}`);
          await sleep(500);
        }
      }
    }
  }

  async #act(n: number, act: Act): Promise<void> {
    const by = `${act.kind}-${n}`;
    switch (act.kind) {
      case 'cancel': {
        const sinceMs = Date.now() - latelyMs;
        const lately = this.#stream.accepted.filter(({ acceptedAtMs }) => acceptedAtMs > sinceMs);
        const target = lately[Math.floor(act.choice * lately.length)]?.planned;
        if (!target) return;
        await this.#note({ by, kind: act.kind, bot: target.bot, key: target.key }, async () => {
          const { kind } = await this.#stage.replies.cancel(target, { by, reason: 'chaos' });
          return kind;
        });
        return;
      }
      case 'decide':
        return this.#decide(by, act);
      case 'reset':
        return this.#reset(by, act);
      case 'pause': {
        const lane = this.#stage.replies.lane(act.bot);
        const who = { by, reason: 'chaos' };
        await this.#note({ by, kind: 'pause', bot: act.bot, key: null }, async () => {
          await lane.pause(who);
          return 'paused';
        });
        await sleep(act.forMs, undefined, { signal: this.#ending }).catch(() => {});
        await this.#note({ by, kind: 'resume', bot: act.bot, key: null }, async () => {
          await lane.resume(who);
          return 'resumed';
        });
        return;
      }
      case 'extend':
        await this.#note({ by, kind: act.kind, bot: act.bot, key: null }, async () => {
          const lane = this.#stage.replies.lane(act.bot);
          const { kind } = await lane.extend({ seconds: act.seconds, by, reason: 'chaos' });
          return kind;
        });
    }
  }

  async #decide(by: string, { choice, decision }: Extract<Act, { kind: 'decide' }>): Promise<void> {
    this.#reviews = await this.#stage.replies.reviews();
    for (const { key } of this.#reviews) if (!this.listedAtMs.has(key)) this.listedAtMs.set(key, Date.now());
    const reply = this.#reviews[Math.floor(choice * this.#reviews.length)];
    if (!reply?.review) return;
    const { attempt } = reply.review;
    await this.#note({ by, kind: 'decide', bot: reply.bot, key: reply.key, decision }, async () => {
      const request = { attempt, decision, by, reason: 'chaos' };
      const resend = decision === 'resend' ? { allowExpired: true } : {};
      const { kind } = await this.#stage.replies.decide(reply, { ...request, ...resend });
      return kind;
    });
  }

  /** Resets a reply that is under review, or was handed over lately, to the end of one of its workflow tasks. */
  async #reset(by: string, { choice, point }: Extract<Act, { kind: 'reset' }>): Promise<void> {
    const lately = this.#stream.accepted.slice(-8).map(({ planned }) => planned);
    const candidates = [...this.#reviews, ...lately];
    const target = candidates[Math.floor(choice * candidates.length)];
    if (!target) return;
    const { workflow, workflowService } = this.#stage.client;
    const found = await workflow.getHandle(replyWorkflowId(target)).describe();
    if (found.status.name !== 'RUNNING') return;
    const { workflowId, runId } = found;
    const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
    const ends = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes);
    const end = ends[Math.floor(point * ends.length)];
    if (!end) return;
    await this.#note({ by, kind: 'reset', bot: target.bot, key: target.key }, async () => {
      await workflowService.resetWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId, runId },
        workflowTaskFinishEventId: end.eventId ?? null,
        reason: by,
        requestId: randomUUID(),
      });
      return 'reset';
    });
  }

  async #note(
    what: Pick<ActEvidence, 'by' | 'kind' | 'bot' | 'key'> & { readonly decision?: string },
    work: () => Promise<string>,
  ): Promise<void> {
    const askedAtMs = Date.now();
    let answer: string;
    try {
      answer = await work();
    } catch (error) {
      answer = error instanceof Error ? error.name : 'unknown error';
    }
    this.evidence.push({ decision: null, ...what, askedAtMs, answeredAtMs: Date.now(), answer });
  }
}
