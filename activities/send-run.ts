import { randomBytes } from 'node:crypto';
import type { Context } from '@temporalio/activity';
import type { BotConfig } from '../config/bot-config.ts';
import type { Content, Contract } from '../contracts/contract.ts';
import { attemptTrace, plainKey } from '../domain/ids.ts';
import type { Ask, Verdict } from '../domain/lane/messages.ts';
import type { SendFinding, SendInput } from '../domain/send.ts';
import { readResult, reportOf } from './attempt-reading.ts';
import type { BotRoom } from './bot-room.ts';
import type { AskAnswer, ClaimBatch } from './claim-batch.ts';
import { mayBeLost, tellIfLate } from './late-proof.ts';
import { observedName } from './observe.ts';
import { orLate, pause } from './pause.ts';
import type { SendDeps } from './send-deps.ts';

/** Waits of up to this long are held here; longer ones are the workflow's durable timers (rule 8). */
const longestHoldMs = 5000;
/** Whoever comes sooner than this before its ticket was called: its lane may have been opened. */
const longestEarlyMs = 1000;
/** The server gives the activity up after 60 s: a request must have its whole time-out before that. */
const activityLifeMs = 60_000;
const reportAllowanceMs = 5000;

/** One run of the activity for one reply: claims until `go` or a long wait, then at most one request (invariant 4). */
export class SendRun {
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
    // The bot has another contract now, and what was to be repeated has no protection.
    if (this.input.doubt && this.contract.protection === null) return { kind: 'refused', why: 'unprotected' };
    let ticketMs = this.input.ticketMs;
    let heldSinceMs = this.input.heldSinceMs;
    let holding = false;
    try {
      const early = this.early();
      if (early) {
        // To ask now would cost the ticket.
        if (!(holding = room.hold(this.input.class))) return early;
        await this.whileWanted(pause(early.waitMs));
      }
      for (;;) {
        const putAtMs = performance.now();
        const asked = this.batch.ask(this.ask(ticketMs, heldSinceMs), this.context.cancellationSignal);
        const answer = await this.whileWanted(asked);
        this.noteClaim(answer, putAtMs);
        if (answer.kind === 'no_answer') return backOff(this.input, 5000, 'backoff');
        const { verdict } = answer;
        if (verdict.kind === 'refused') return { kind: 'refused', why: verdict.why };
        if (verdict.kind === 'go') {
          // A lane of an older version: it has not looked at what protects the repetition.
          if (this.input.doubt && !verdict.mark) {
            this.batch.giveBack(this.ask(undefined, undefined));
            return { kind: 'refused', why: 'unprotected' };
          }
          return await this.attempt(verdict, answer.askedAtMs);
        }
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

  /** A reply that asks a little before its ticket is due would get another, behind those who came since. */
  private early(): Extract<SendFinding, { kind: 'postponed' }> | undefined {
    const { ticketMs, heldSinceMs } = this.input;
    const asOfMs = this.batch.laneNowMs();
    if (ticketMs === undefined || asOfMs === undefined) return undefined;
    const waitMs = ticketMs - asOfMs;
    if (waitMs <= 0 || waitMs > longestEarlyMs) return undefined;
    const { chat } = this.contract.destination(this.content);
    const held = heldSinceMs === undefined ? {} : { heldSinceMs };
    return { kind: 'postponed', why: 'bot_pace', waitMs, asOfMs, ticketMs, chat, ...held };
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
      ...this.keys(),
    };
  }

  /** What the lane must know where the service's keys protect a repetition. */
  private keys(): Pick<Ask, 'hasKeys' | 'doubt'> {
    const { protection } = this.contract;
    if (protection === null) return {};
    const { doubt } = this.input;
    return { hasKeys: true, ...(doubt ? { doubt: { ...doubt, ...protection } } : {}) };
  }

  private postponed(verdict: Extract<Verdict, { kind: 'wait' }>, waitMs: number): SendFinding {
    const { chat } = this.contract.destination(this.content);
    const { why, untilMs, heldSinceMs, cooldownMs, epoch } = verdict;
    return {
      kind: 'postponed',
      why,
      waitMs: Math.max(1, Math.ceil(waitMs)),
      asOfMs: Math.floor(untilMs - waitMs),
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
    const { bot: name, key, run, attempt = run } = this.input;
    const request = contract.request(content, {
      apiRoot: bot.apiRoot,
      token,
      key,
      account: bot.account,
      trace: attemptTrace(name, key, attempt),
    });
    const grantedAtMs = performance.now();
    const result = await this.deps.transport.send(request, {
      httpTimeoutMs: bot.httpTimeoutMs,
      connectTimeoutMs: bot.connectTimeoutMs,
      mayStart: () => this.whyNot(verdict.nowMs, askedAtMs),
    });
    const { outcome, progress, httpStatus, answeredAtMs, error } = readResult(
      contract,
      content,
      result,
      token,
    );
    this.deps.observe?.({
      event: 'attempt',
      reply: observedName(this.input),
      bot: name,
      contract: contract.name,
      attempt,
      outcome: outcome.kind,
      httpStatus,
      progress,
      ms: Math.round(answeredAtMs - grantedAtMs),
    });
    // The report goes on by itself; the outcome must reach the workflow before the server gives the activity up.
    const restMs = Math.max(0, this.startedAtMs + activityLifeMs - reportAllowanceMs - performance.now());
    const report = {
      ...reportOf(this.ask(undefined, undefined), chat, outcome),
      ...(this.input.attempt === undefined ? {} : { number: this.input.attempt }),
    };
    const reported = this.batch.report(report, answeredAtMs);
    const told = await orLate(reported, restMs);
    // Cut off from Temporal it cannot be told now; once the report has arrived, it can.
    if (told === 'late') void reported.then(() => tellIfLate(this.deps, this.input, this.context, outcome));
    else if (mayBeLost(this.context, performance.now() - this.startedAtMs))
      await tellIfLate(this.deps, this.input, this.context, outcome);
    const laneNowMs = this.batch.laneNowMs() ?? verdict.nowMs;
    return {
      kind: 'attempted',
      outcome,
      progress,
      httpStatus,
      worker: this.deps.worker,
      chat,
      ...(error === null ? {} : { error }),
      ...(verdict.mark ? { mark: verdict.mark } : {}),
      ...(outcome.kind === 'flood'
        ? { known: { epoch: verdict.epoch, notBeforeMs: laneNowMs + outcome.retryAfterSeconds * 1000 } }
        : {}),
    };
  }

  private noteClaim(answer: AskAnswer, putAtMs: number): void {
    const verdict = answer.kind === 'verdict' ? answer.verdict.kind : answer.kind;
    const ms = Math.round(performance.now() - putAtMs);
    this.deps.observe?.({ event: 'claim', bot: this.bot.name, verdict, ms });
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
export function backOff(input: SendInput, leastMs: number, why: 'backoff' | 'bot_pace'): SendFinding {
  const waitMs = Math.round(leastMs * (1 + Math.random()));
  return { kind: 'postponed', why, waitMs, ticketMs: null, chat: input.chat ?? '' };
}

function expiryOf(bot: BotConfig, input: SendInput): number | undefined {
  if (input.allowExpired) return undefined;
  if (input.expiresAtMs !== undefined) return input.expiresAtMs;
  return bot.expiresAfterMs === null ? undefined : input.startedAtMs + bot.expiresAfterMs;
}
