import { setTimeout as pause } from 'node:timers/promises';
import { type ReplyClient, replyWorkflowId } from '../../client/index.ts';
import { type Arrival, type FakeTelegram, step } from '../../test/support/fake-service/index.ts';
import { keyByText } from './evidence.ts';
import { type PlannedReply, demoBot, expiresAfterMs, isGroup, serviceWindows, waits } from './plan.ts';
import type { Stage } from './stage.ts';
import type { Kill } from './staged.ts';
import type { DemoWorker } from './worker.ts';

/** The shorter wait is announced so long after the longer one began. */
const shortWaitHeldMs = 1000;
/** A course that takes longer is judged as it stands. */
const courseWithinMs = 75_000;
const stepWithinMs = 20_000;
/** Later than this, the first of a group's window has left it before the last comes. */
const fillWithinMs = 9000;

export interface CourseParts {
  readonly stage: Stage;
  readonly replies: ReplyClient;
  readonly planned: readonly PlannedReply[];
  readonly say: (line: string) => void;
  /** Whether every reply has ended or is under review. */
  readonly isSettled: () => boolean;
}

/** What happens to the sixty replies. Each trouble waits for the state it needs, so that a slow machine shows the same. */
export class Course {
  readonly #parts: CourseParts;
  readonly #fake: FakeTelegram;
  readonly #keyOf: (text: string | null) => string | undefined;
  readonly #endsAtMs = performance.now() + courseWithinMs;

  constructor(parts: CourseParts) {
    this.#parts = parts;
    this.#fake = parts.stage.fake;
    this.#keyOf = keyByText(parts.planned);
  }

  /** Resolves once all is settled, or the time is up. Null where no worker could be killed during a send. */
  async run(): Promise<Kill | null> {
    await this.#handOver();
    await this.#cancelOne();
    await this.#untilTaken(4);
    const held = await this.#holdOne();
    const kill = await this.#floodTwiceAndKill(held);
    await this.#loseAnAnswer();
    await this.#until(() => this.#parts.isSettled(), this.#endsAtMs - performance.now());
    return kill;
  }

  /** The groups have the service to themselves until their windows are full: the limits are to be met, each of them. */
  async #handOver(): Promise<void> {
    const groups = this.#parts.planned.filter(isGroup);
    await this.#send(groups, 'groups');
    const chats = new Set(groups.map(({ chat }) => chat)).size;
    const full = chats * serviceWindows.group[0].limit;
    await this.#until(() => this.#fake.stored(demoBot).length >= full, fillWithinMs);
    const persons = this.#parts.planned.filter((reply) => !isGroup(reply));
    await this.#send(persons, 'persons');
  }

  async #send(some: readonly PlannedReply[], whom: string): Promise<void> {
    const { replies, say } = this.#parts;
    const startedAtMs = performance.now();
    const expiresAt = new Date(Date.now() + expiresAfterMs);
    const send = ({ key, chat, text, fate }: PlannedReply): Promise<unknown> =>
      replies.send({ bot: demoBot, chat, text, ...(fate === 'expired' ? { expiresAt } : {}) }, { key });
    await Promise.all(some.map(send));
    const chats = new Set(some.map(({ chat }) => chat)).size;
    const tookMs = Math.round(performance.now() - startedAtMs);
    say(`${some.length} replies to ${chats} ${whom} handed over in ${tookMs} ms`);
  }

  async #cancelOne(): Promise<void> {
    const { planned, replies, say } = this.#parts;
    const key = planned.find(({ fate }) => fate === 'cancelled')?.key ?? '';
    const answer = await replies.cancel(
      { bot: demoBot, key },
      { by: 'demo', reason: 'a person has answered in the chat' },
    );
    say(`a person cancels ${key}, which waits for its turn: "${answer.kind}"`);
  }

  /** The next request is read and not answered; gives its arrival. */
  async #holdOne(): Promise<Arrival | undefined> {
    const script = this.#fake.script(demoBot, {}, step.silence({ store: false }));
    await this.#until(() => script.played > 0);
    const held = this.#unanswered('none');
    this.#parts.say(`the service holds the request of ${this.#keyOf(held?.text ?? null)}`);
    return held;
  }

  /** During the wait nothing else is under way, so that the killed worker leaves one uncertain reply and no other. */
  async #floodTwiceAndKill(held: Arrival | undefined): Promise<Kill | null> {
    const { say } = this.#parts;
    const known = this.#fake.deadlines.length;
    const short = { ...step.tooManyRequests(waits.shortSeconds), holdMs: shortWaitHeldMs };
    this.#fake.script(demoBot, {}, short);
    this.#fake.script(demoBot, {}, step.flood(waits.longSeconds));
    await this.#until(() => this.#secondsSince(known).length > 0);
    say(`the service asks for a wait of ${this.#secondsSince(known)[0]} s`);
    await this.#until(() => this.#secondsSince(known).includes(waits.shortSeconds));
    const longer = this.#secondsSince(known).filter((seconds) => seconds > waits.longSeconds);
    if (longer.length > 0) say(`a request that was on its way makes that ${Math.max(...longer)} s`);
    say(`and, while that runs, it asks for one of ${waits.shortSeconds} s`);
    const key = this.#keyOf(held?.text ?? null);
    if (held === undefined || key === undefined) return null;
    await this.#until(() => this.#allRecorded(held), 3000);
    const worker = await this.#workerOf(key);
    if (worker === undefined || held.closedAtMs !== null) return null;
    const how = await worker.kill();
    say(`worker ${worker.number} (process ${worker.pid}) killed with ${how} while ${key} is under way`);
    const next = this.#parts.stage.addWorker();
    next.ready.then(
      () => say(`worker ${next.number} (process ${next.pid}) takes its place`),
      () => {},
    );
    return { pid: worker.pid, key, how };
  }

  async #loseAnAnswer(): Promise<void> {
    await this.#untilTaken(3);
    const script = this.#fake.script(demoBot, {}, step.silence({ store: true }));
    await this.#until(() => script.played > 0);
    const taken = this.#unanswered('stored');
    this.#parts.say(`the service takes ${this.#keyOf(taken?.text ?? null)} and never answers`);
  }

  #secondsSince(known: number): readonly number[] {
    const since = this.#fake.deadlines.slice(known).filter(({ bot }) => bot === demoBot);
    return since.map(({ retryAfterSeconds }) => retryAfterSeconds);
  }

  /** The request that still waits for its answer. */
  #unanswered(verdict: Arrival['verdict']): Arrival | undefined {
    return this.#fake.arrivals.find(
      (arrival) =>
        arrival.bot === demoBot &&
        arrival.verdict === verdict &&
        arrival.received === 'whole' &&
        arrival.httpStatus === null &&
        arrival.closedAtMs === null,
    );
  }

  /** Whether every answer but that of the held request has reached the reply's own record. */
  async #allRecorded(held: Arrival): Promise<boolean> {
    const arrivals = this.#fake.arrivals.filter(({ bot, n }) => bot === demoBot && n !== held.n);
    if (arrivals.some(({ closedAtMs }) => closedAtMs === null)) return false;
    const made = new Map<string, number>();
    for (const { text } of arrivals) {
      const key = this.#keyOf(text);
      if (key !== undefined) made.set(key, (made.get(key) ?? 0) + 1);
    }
    const recorded = await Promise.all(
      [...made].map(async ([key, requests]) => {
        const { attempts } = await this.#parts.replies.status({ bot: demoBot, key });
        return attempts.length >= requests;
      }),
    );
    return recorded.every((isRecorded) => isRecorded);
  }

  /** Temporal knows which process runs an activity. */
  async #workerOf(key: string): Promise<DemoWorker | undefined> {
    const handle = this.#parts.stage.client.workflow.getHandle(replyWorkflowId({ bot: demoBot, key }));
    const { raw } = await handle.describe();
    const identity = raw.pendingActivities?.[0]?.lastWorkerIdentity ?? '';
    return this.#parts.stage.workers.find(({ pid }) => identity.startsWith(`${pid}@`));
  }

  /** Waits until the service has taken so many more messages. */
  async #untilTaken(more: number): Promise<void> {
    const before = this.#fake.stored(demoBot).length;
    await this.#until(() => this.#fake.stored(demoBot).length >= before + more);
  }

  /** Waits until it is so; past the bound the course goes on, and the checks tell what is missing. */
  async #until(isSo: () => boolean | Promise<boolean>, withinMs = stepWithinMs): Promise<void> {
    const endMs = Math.min(this.#endsAtMs, performance.now() + withinMs);
    while (performance.now() < endMs && !(await isSo())) await pause(20);
  }
}
