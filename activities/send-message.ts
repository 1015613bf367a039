import { randomBytes } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { BotConfig } from '../config/bot-config.ts';
import type { TokenReading } from '../config/secrets.ts';
import { contractOf } from '../contracts/index.ts';
import type { Content, Contract } from '../contracts/contract.ts';
import { plainKey } from '../domain/ids.ts';
import type { Ask, Verdict } from '../domain/lane/messages.ts';
import {
  type Budgets,
  type SendFinding,
  type SendInput,
  type SendResult,
  defaultBudgets,
} from '../domain/send.ts';
import { readResult, reportOf } from './attempt-reading.ts';
import type { BotRoom } from './bot-room.ts';
import type { AskAnswer, ClaimBatch } from './claim-batch.ts';
import type { Transport } from './transport.ts';

/** What the activity needs of its worker process. Time and chance come from the process: this is the shell. */
export interface SendDeps {
  readonly worker: string;
  readonly attributes: boolean;
  readonly bots: ReadonlyMap<string, BotConfig>;
  readonly token: (bot: BotConfig) => TokenReading;
  readonly transport: Transport;
  readonly batchOf: (bot: BotConfig) => ClaimBatch;
  readonly roomOf: (bot: string) => BotRoom;
}

/** Waits of up to this long are held here; longer ones are the workflow's durable timers (rule 8). */
const longestHoldMs = 5000;
const heartbeatEveryMs = 2000;
/** The server gives the activity up after 60 s: a request must have its whole time-out before that. */
const activityLifeMs = 60_000;
const reportAllowanceMs = 5000;

/** One activity run: claims until `go` or a long wait, then at most one request, classified and reported. */
export async function sendMessage(deps: SendDeps, input: SendInput): Promise<SendResult> {
  const context = Context.current();
  const heartbeat = setInterval(() => context.heartbeat(), heartbeatEveryMs);
  context.heartbeat();
  try {
    if (isReset(input, context)) return { kind: 'reset', attributes: deps.attributes };
    const bot = deps.bots.get(input.bot);
    const finding = bot
      ? await sendFor(deps, bot, input, context)
      : ({
          kind: 'no_token',
          why: `no worker knows the bot ${input.bot}: add it to the configuration`,
        } as const);
    const budgets = bot && budgetsOf(bot);
    return { ...finding, attributes: deps.attributes, ...(budgets ? { budgets } : {}) };
  } finally {
    clearInterval(heartbeat);
  }
}

/**
 * A reset gives a workflow a new run with a part of the old one's history. It is told here and not in the workflow, whose
 * replay must still do what the old run did; an activity that starts now belongs to the new run for sure.
 */
function isReset(input: SendInput, context: Context): boolean {
  return context.info.workflowExecution?.runId !== input.firstRunId;
}

async function sendFor(
  deps: SendDeps,
  bot: BotConfig,
  input: SendInput,
  context: Context,
): Promise<SendFinding> {
  const reading = deps.token(bot);
  if (reading.kind === 'missing')
    return { kind: 'no_token', why: `no token for the bot ${bot.name}: ${reading.why}` };
  const contract = contractOf(bot.contract);
  if (!contract) return { kind: 'no_token', why: `this worker does not know the contract ${bot.contract}` };
  const problems = contract.check(input.content);
  if (problems.length > 0) {
    return {
      kind: 'bad_content',
      problem: problems.map(({ field, problem }) => `${field}: ${problem}`).join('; '),
    };
  }
  const room = deps.roomOf(bot.name);
  if (!room.enter()) return backOff(input, 2000, 'bot_pace');
  try {
    return await new SendRun(deps, bot, input, context, contract, reading.token).run(room);
  } finally {
    room.leave();
  }
}

class SendRun {
  readonly deps: SendDeps;
  readonly bot: BotConfig;
  readonly input: SendInput;
  readonly context: Context;
  readonly contract: Contract;
  readonly token: string;
  readonly batch: ClaimBatch;
  readonly startedAtMs = performance.now();
  readonly nonce = randomBytes(6).toString('base64url');
  readonly content: Content;
  readonly expiresAtMs: number | undefined;

  constructor(
    deps: SendDeps,
    bot: BotConfig,
    input: SendInput,
    context: Context,
    contract: Contract,
    token: string,
  ) {
    this.deps = deps;
    this.bot = bot;
    this.input = input;
    this.context = context;
    this.contract = contract;
    this.token = token;
    this.batch = deps.batchOf(bot);
    this.content = input.chat === null ? input.content : contract.readdress(input.content, input.chat);
    this.expiresAtMs = expiryOf(bot, input);
  }

  async run(room: BotRoom): Promise<SendFinding> {
    let ticketMs = this.input.ticketMs;
    let heldSinceMs = this.input.heldSinceMs;
    let holding = false;
    try {
      for (;;) {
        const answer = await this.whileWanted(this.batch.ask(this.ask(ticketMs, heldSinceMs)));
        if (answer.kind === 'no_answer') return backOff(this.input, 5000, 'backoff');
        const { verdict } = answer;
        if (verdict.kind === 'refused') return { kind: 'refused', why: verdict.why };
        if (verdict.kind === 'go') return await this.attempt(verdict, answer.askedAtMs);
        ticketMs = verdict.untilMs;
        heldSinceMs = verdict.heldSinceMs;
        const waitMs = answer.heardAtMs + (verdict.untilMs - verdict.nowMs) - performance.now();
        const isShort = performance.now() + waitMs - this.startedAtMs <= longestHoldMs;
        if (!isShort || !(holding ||= room.hold(this.input.class))) return this.postponed(verdict, waitMs);
        await this.whileWanted(pause(Math.max(0, waitMs)));
      }
    } finally {
      if (holding) room.release();
    }
  }

  private ask(ticketMs: number | undefined, heldSinceMs: number | undefined): Ask {
    const { input, context } = this;
    return {
      reply: plainKey(input.key),
      run: context.info.workflowExecution?.runId ?? '',
      attempt: input.run,
      nonce: this.nonce,
      ...this.contract.destination(this.content),
      class: input.class,
      scheduledAtMs: context.info.currentAttemptScheduledTimestampMs,
      ...(input.after === undefined ? {} : { after: plainKey(input.after) }),
      ...(ticketMs === undefined ? {} : { ticketMs }),
      ...(heldSinceMs === undefined ? {} : { heldSinceMs }),
      ...(this.expiresAtMs === undefined ? {} : { expiresAtMs: this.expiresAtMs }),
      ...(input.known ? { known: input.known } : {}),
    };
  }

  private postponed(verdict: Extract<Verdict, { kind: 'wait' }>, waitMs: number): SendFinding {
    const { chat } = this.contract.destination(this.content);
    const { why, untilMs, heldSinceMs, cooldownMs, epoch } = verdict;
    return {
      kind: 'postponed',
      why,
      waitMs: Math.max(1, Math.ceil(waitMs)),
      ticketMs: untilMs,
      chat,
      ...(heldSinceMs === undefined ? {} : { heldSinceMs }),
      ...(cooldownMs === undefined ? {} : { known: { epoch, notBeforeMs: cooldownMs } }),
    };
  }

  /** From here on a claim is held: the activity returns a value, whatever happens. */
  private async attempt(verdict: Extract<Verdict, { kind: 'go' }>, askedAtMs: number): Promise<SendFinding> {
    const { bot, contract, token } = this;
    const content =
      verdict.chat === undefined ? this.content : contract.readdress(this.content, verdict.chat);
    const { chat } = contract.destination(content);
    const request = contract.request(content, { apiRoot: bot.apiRoot, token });
    const result = await this.deps.transport.send(request, {
      httpTimeoutMs: bot.httpTimeoutMs,
      connectTimeoutMs: bot.connectTimeoutMs,
      mayStart: () => this.whyNot(verdict.nowMs, askedAtMs),
    });
    const { outcome, progress, httpStatus, answeredAtMs } = readResult(contract, content, result);
    await this.batch.report(reportOf(this.ask(undefined, undefined), chat, outcome), answeredAtMs);
    const laneNowMs = this.batch.laneNowMs() ?? verdict.nowMs;
    return {
      kind: 'attempted',
      outcome,
      progress,
      httpStatus,
      worker: this.deps.worker,
      chat,
      ...(outcome.kind === 'flood'
        ? { known: { epoch: verdict.epoch, notBeforeMs: laneNowMs + outcome.retryAfterSeconds * 1000 } }
        : {}),
    };
  }

  /** Why a granted claim must send nothing any more (invariants 2, 4 and 6), or undefined. */
  private whyNot(grantedNowMs: number, askedAtMs: number): string | undefined {
    const nowMs = performance.now();
    const ageMs = nowMs - askedAtMs;
    if (ageMs > this.bot.claimLifeMs) return 'the claim went stale before anything was written';
    if (this.expiresAtMs !== undefined && grantedNowMs + ageMs >= this.expiresAtMs)
      return 'it expired before anything was written';
    if (this.batch.overtakenByFlood(askedAtMs))
      return 'the service asked for a pause before anything was written';
    if (nowMs - this.startedAtMs > activityLifeMs - reportAllowanceMs - this.bot.httpTimeoutMs) {
      return 'the activity was running out of time before anything was written';
    }
    if (this.context.cancellationSignal.aborted) return 'it was withdrawn before anything was written';
    return undefined;
  }

  /** Ends with a cancellation of the activity; only before a claim is held. */
  private whileWanted<T extends AskAnswer | void>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.context.cancelled]);
  }
}

/** No lane was asked, or none answered: the workflow waits and tries again, spread by chance. */
function backOff(input: SendInput, leastMs: number, why: 'backoff' | 'bot_pace'): SendFinding {
  const waitMs = Math.round(leastMs * (1 + Math.random()));
  return { kind: 'postponed', why, waitMs, ticketMs: null, chat: input.chat ?? '' };
}

function expiryOf(bot: BotConfig, input: SendInput): number | undefined {
  if (input.allowExpired) return undefined;
  if (input.expiresAtMs !== undefined) return input.expiresAtMs;
  return bot.expiresAfterMs === null ? undefined : input.startedAtMs + bot.expiresAfterMs;
}

function budgetsOf(bot: BotConfig): Budgets | undefined {
  const budgets: Budgets = {
    attempts: bot.maxAttempts,
    floods: bot.maxFloods,
    ageMs: bot.reviewAfterAgeMs,
    backoffMinMs: bot.unreachedBackoffMinMs,
    backoffMaxMs: bot.unreachedBackoffMaxMs,
    attemptGapMs: bot.minAttemptGapMs,
    expiresAfterMs: bot.expiresAfterMs,
  };
  return JSON.stringify(budgets) === JSON.stringify(defaultBudgets) ? undefined : budgets;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
