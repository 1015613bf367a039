import { type WorkflowHandle, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { cooldownWorkflowId } from '../domain/ids.ts';
import { whoProblem } from '../domain/lane/control.ts';
import type { ControlAction } from '../domain/lane/messages.ts';
import type { LaneView } from '../domain/lane/show.ts';
import { assertNever } from '../domain/outcome.ts';
import { laneStartOptions } from '../workflows/lane-options.ts';
import { cooldownWorkflowType } from '../workflows/names.ts';
import { controlUpdate, cooldownQuery, extendCooldownSignal, wakeSignal } from '../workflows/protocol.ts';
import { Pace, mapAsDone } from './concurrency.ts';
import { LaneNotFoundError, NoWorkerError, ReplyInputError } from './errors.ts';
import { openExecutions } from './list-replies.ts';
import { type TemporalLink, grpcCode, grpcCodeOf } from './temporal-link.ts';
import { sendUpdate } from './update.ts';

/** Who acts on a lane, and why: kept with the lane. */
export interface Who {
  readonly by: string;
  readonly reason: string;
}

export interface WakeOptions {
  /** Called for each waiting reply that was told to ask the lane again. */
  readonly onWoken?: (count: number) => void;
}

export type ExtendResult =
  | { readonly kind: 'extended'; readonly lane: LaneView }
  /** Saved; no worker is up to show the lane. */
  | { readonly kind: 'requested' };

/** What a Query comes to where nobody polls. */
const silentCodes: readonly number[] = [
  grpcCode.deadlineExceeded,
  grpcCode.cancelled,
  grpcCode.failedPrecondition,
];
const wakesAtOnce = 10;
/**
 * The woken cannot be sent faster than the bot may: many more at once would only keep each other late. Some more, since
 * those who are not the first of their chat wait once more.
 */
const wakesPerSlot = 1.5;
const mostWakesPerSecond = 50;
const leastWakesPerSecond = 5;
/** After so many, whether the lane has been closed again meanwhile. */
const wakesBetweenLooks = 100;
const controlAnswerMs = 10_000;

/** The lane of one bot, as an operator handles it. */
export class LaneClient {
  readonly bot: string;
  readonly #link: TemporalLink;
  readonly #isKnownBot: boolean;

  /** The lane of a bot that is known is started where it does not run yet; that of another one is "not found". */
  constructor(link: TemporalLink, bot: string, options: { readonly isKnownBot: boolean }) {
    this.bot = bot;
    this.#link = link;
    this.#isKnownBot = options.isKnownBot;
  }

  /** Throws a `NoWorkerError` when no worker answers: only a worker knows the lane's state. */
  async show(): Promise<LaneView> {
    const { client, workerTimeoutMs } = this.#link;
    await this.#ensureRunning();
    try {
      return await client.withDeadline(Date.now() + workerTimeoutMs, () => this.#handle.query(cooldownQuery));
    } catch (error) {
      const code = grpcCodeOf(error);
      if (code !== undefined && silentCodes.includes(code)) throw this.#noWorker('');
      throw this.#link.translated(error);
    }
  }

  /** No claim is granted until it is resumed. */
  pause(who: Who): Promise<LaneView> {
    return this.#control('pause', who);
  }

  /** Ends a pause, and a stop that the lane made itself; then lets the waiting replies ask at once. */
  async resume(who: Who, options: WakeOptions = {}): Promise<LaneView> {
    const lane = await this.#control('resume', who);
    await this.#wake(lane, options);
    return lane;
  }

  /** Opens the lane before its cooldown ends: the one exception to invariant 3, recorded as such. */
  async override(who: Who, options: WakeOptions = {}): Promise<LaneView> {
    const lane = await this.#control('override', who);
    await this.#wake(lane, options);
    return lane;
  }

  /** Keeps the lane closed for at least so many seconds from now; never opens it earlier. Works with no worker up. */
  async extend(request: Who & { readonly seconds: number }): Promise<ExtendResult> {
    const { seconds, by, reason } = request;
    checkWho(request);
    if (!Number.isSafeInteger(seconds) || seconds < 1 || seconds > longestExtensionSeconds) {
      const problem = `must be a whole number of seconds from 1 to ${longestExtensionSeconds}`;
      throw new ReplyInputError('The lane was not extended', [{ field: 'seconds', problem }]);
    }
    await this.#ensureRunning();
    await this.#link.call(() => this.#handle.signal(extendCooldownSignal, { seconds, by, reason }));
    try {
      return { kind: 'extended', lane: await this.show() };
    } catch (error) {
      if (error instanceof NoWorkerError) return { kind: 'requested' };
      throw error;
    }
  }

  get #handle(): WorkflowHandle {
    return this.#link.client.workflow.getHandle(cooldownWorkflowId(this.bot));
  }

  async #control(action: ControlAction, { by, reason }: Who): Promise<LaneView> {
    checkWho({ by, reason });
    await this.#ensureRunning();
    const update = await sendUpdate(
      this.#link,
      this.#handle,
      controlUpdate,
      { action, by, reason },
      controlAnswerMs,
    );
    switch (update.kind) {
      case 'answer':
        return update.value;
      case 'refused':
        throw new ReplyInputError(`The lane refused to ${action}`, [{ field: 'lane', problem: update.why }]);
      case 'closed':
        throw new LaneNotFoundError(`the lane of bot "${this.bot}" ended just now: try again`);
      case 'no_worker':
      case 'pending':
        throw this.#noWorker(`; the ${action} may still take effect when one comes up`);
      default:
        return assertNever(update);
    }
  }

  /** Whether the lane runs, or ran. */
  async exists(): Promise<boolean> {
    try {
      await this.#link.call(() => this.#handle.describe());
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  async #ensureRunning(): Promise<void> {
    const { workflow } = this.#link.client;
    try {
      const found = await this.#link.call(() => this.#handle.describe());
      if (found.status.name === 'RUNNING' || found.status.name === 'PAUSED') return;
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
    if (!this.#isKnownBot) {
      throw new LaneNotFoundError(
        `bot "${this.bot}" has no lane: check its name; a lane begins when a worker with that bot starts`,
      );
    }
    try {
      await this.#link.call(() => workflow.start(cooldownWorkflowType, laneStartOptions(this.bot)));
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  /** Waiting replies sleep until the old deadline, so they are told to ask again. Paced: each is a request of its own. */
  async #wake(lane: LaneView, { onWoken }: WakeOptions): Promise<void> {
    const pace = new Pace(wakesPerSecond(lane));
    const { workflow } = this.#link.client;
    let count = 0;
    const woken = mapAsDone(
      openExecutions(this.#link, this.bot),
      wakesAtOnce,
      async ({ workflowId, runId }) => {
        await pace.turn();
        try {
          await this.#link.call(() => workflow.getHandle(workflowId, runId).signal(wakeSignal));
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        }
      },
    );
    for await (const _ of woken) {
      onWoken?.(++count);
      // Whoever opens it then wakes them again.
      if (count % wakesBetweenLooks === 0 && (await this.#isClosedAgain())) return;
    }
  }

  /** A new cooldown is no reason to stop: the woken are told of it, the others would sleep until the old one ends. */
  async #isClosedAgain(): Promise<boolean> {
    try {
      const { paused, stopped } = await this.show();
      return paused !== null || stopped !== null;
    } catch (error) {
      if (error instanceof NoWorkerError) return false;
      throw error;
    }
  }

  #noWorker(more: string): NoWorkerError {
    const seconds = this.#link.workerTimeoutMs / 1000;
    return new NoWorkerError(
      `the lane of bot "${this.bot}" did not answer within ${seconds} s: start a worker (replylane worker)${more}`,
    );
  }
}

/** Ten years: farther, and the end of the calendar comes near. */
const longestExtensionSeconds = 315_360_000;

function checkWho({ by, reason }: Who): void {
  const problem = whoProblem(by, reason);
  if (problem === undefined) return;
  const [field = 'by', words = problem] = problem.split(/: (.*)/s);
  throw new ReplyInputError('Nothing was done to the lane', [{ field, problem: words }]);
}

function wakesPerSecond({ policy }: LaneView): number {
  const rates = policy.bot.map(({ limit, perMs }) => (wakesPerSlot * limit * 1000) / perMs);
  return Math.max(leastWakesPerSecond, Math.min(mostWakesPerSecond, ...rates));
}
