import { shortHash } from '../ids.ts';
import type { Ask, RefusedWhy, Verdict, WaitWhy } from './messages.ts';
import { markDone, orderOf, placeAhead, takePlace } from './order.ts';
import { type LanePolicy, strictest } from './policy.ts';
import { botFreeAtMs, botSpacingMs, chatFreeAtMs, chatPitchMs } from './slots.ts';
import { type Chat, type Lane, type Place, chatOf, movedChat } from './state.ts';

/** Longest life of a claim's request; `scheduledAtMs` of an older ask shows that its activity was given up long ago. */
export const oldestAskMs = 12 * 60_000;
/** How long one request may be the probe before another takes its place (rule 17). */
export const probeLeaseMs = 20_000;
/** A policy counts as long as some worker has shown it lately. */
const policyLifeMs = 60_000;
/** How long `bulk` keeps away from a slot that a `reply` was promised. */
const promiseGraceMs = 250;

/** The policy in force: the strictest of those that workers use now. */
export function policyInForce(lane: Lane): LanePolicy {
  return strictest(lane.policies.map((seen) => seen.policy));
}

/** Remembers that a worker uses this policy; forgets those that no worker has used for a minute. */
export function notePolicy(lane: Lane, policy: LanePolicy, nowMs: number): void {
  const text = JSON.stringify(policy);
  const others = lane.policies.filter(
    (seen) => seen.seenAtMs + policyLifeMs > nowMs && JSON.stringify(seen.policy) !== text,
  );
  lane.policies = [...others.slice(-7), { policy, seenAtMs: nowMs }];
}

/**
 * The order in which the asks of one batch are answered: `reply` before `bulk`, due tickets first, then as they came.
 * Gives indices, so that the answers can stand in the order of the asks.
 */
export function batchOrder(asks: readonly Ask[], nowMs: number): number[] {
  const rank = (ask: Ask): number => (ask.class === 'bulk' ? 1 : 0);
  const ticket = (ask: Ask): number => (ask.ticketMs !== undefined && ask.ticketMs <= nowMs ? ask.ticketMs : nowMs);
  return asks
    .map((ask, index) => ({ ask, index }))
    .sort((a, b) => rank(a.ask) - rank(b.ask) || ticket(a.ask) - ticket(b.ask) || a.index - b.index)
    .map(({ index }) => index);
}

/**
 * Decides one ask. On `go` the claim is recorded at once, so that the decision and the grant are one step: between the
 * cooldown as it was read and the leap there is no gap (invariants 2 and 4).
 */
export function decideAsk(lane: Lane, ask: Ask, nowMs: number): Verdict {
  const refused = fenceRefusal(lane, ask, nowMs);
  if (refused === 'same') return go(lane, ask, nowMs);
  if (refused !== undefined) return { kind: 'refused', nowMs, why: refused, epoch: lane.epoch };

  noteKnownCooldown(lane, ask, nowMs);
  if (ask.ticketMs !== undefined) {
    lane.latenessMs = Math.max(nowMs - ask.ticketMs, Math.floor(lane.latenessMs * 0.99));
  }
  const policy = policyInForce(lane);
  const chatId = movedChat(lane, ask.chat);
  const chat = chatOf(lane, chatId, ask.chatKind);
  const place = takePlace(lane, chat, ask, nowMs);
  return new Decision(lane, policy, ask, chatId, chat, place, nowMs).answer();
}

function fenceRefusal(lane: Lane, ask: Ask, nowMs: number): RefusedWhy | 'same' | undefined {
  const fence = lane.fences.get(shortHash(ask.reply, 12));
  if (fence && fence.run !== shortHash(ask.run, 6)) return 'other_run';
  if (fence && ask.attempt <= fence.attempt) {
    if (fence.state.kind === 'revoked') return 'revoked';
    if (ask.attempt < fence.attempt) return 'stale_ask';
    if (fence.nonce !== ask.nonce) return 'claimed';
    return fence.state.kind === 'outstanding' ? 'same' : 'stale_ask';
  }
  if (ask.scheduledAtMs + oldestAskMs < nowMs) return 'stale_ask';
  if (ask.expiresAtMs !== undefined && ask.expiresAtMs <= nowMs) {
    const chat = lane.chats.get(movedChat(lane, ask.chat));
    if (chat) markDone(lane, chat, ask.reply, nowMs);
    return 'expired';
  }
  return undefined;
}

/** A lane that was lost is told the cooldown by those who waited for it (rule 5). */
function noteKnownCooldown(lane: Lane, ask: Ask, nowMs: number): void {
  if (!ask.known || ask.known.epoch === lane.epoch) return;
  if (ask.known.notBeforeMs <= Math.max(nowMs, lane.cooldown?.notBeforeMs ?? 0)) return;
  lane.cooldown = { notBeforeMs: ask.known.notBeforeMs, reason: 'known', savedAtMs: nowMs, by: null, why: null };
  lane.probe = { kind: 'wanted' };
}

function go(lane: Lane, ask: Ask, nowMs: number): Verdict {
  const chat = movedChat(lane, ask.chat);
  return { kind: 'go', nowMs, epoch: lane.epoch, ...(chat === ask.chat ? {} : { chat }) };
}

/** One ask before the gates, in their order: stops, cooldown, order, chat, bot, probe. */
class Decision {
  readonly lane: Lane;
  readonly policy: LanePolicy;
  readonly ask: Ask;
  readonly chatId: string;
  readonly chat: Chat;
  readonly place: Place | undefined;
  readonly nowMs: number;
  readonly bulk: boolean;

  constructor(
    lane: Lane,
    policy: LanePolicy,
    ask: Ask,
    chatId: string,
    chat: Chat,
    place: Place | undefined,
    nowMs: number,
  ) {
    this.lane = lane;
    this.policy = policy;
    this.ask = ask;
    this.chatId = chatId;
    this.chat = chat;
    this.place = place;
    this.nowMs = nowMs;
    this.bulk = ask.class === 'bulk';
  }

  answer(): Verdict {
    const { lane, nowMs } = this;
    if (lane.stopped) return this.wait('lane_stopped', this.stallTicket());
    if (lane.paused) return this.wait('lane_paused', this.stallTicket());
    const order = orderOf(lane, this.chat, this.ask, this.place, nowMs);
    const closedUntilMs = lane.cooldown?.notBeforeMs ?? 0;
    if (closedUntilMs > nowMs) return this.wait('cooldown', this.ticketFrom(closedUntilMs));
    switch (order.kind) {
      case 'missing':
        return this.waitForMissing(order.sinceMs);
      case 'behind':
        return this.wait('order', this.ticketBehind(order.aheadTicketMs));
      case 'free':
        return this.answerPaced();
    }
  }

  private answerPaced(): Verdict {
    const { lane, policy, ask, nowMs } = this;
    const chatFreeMs = chatFreeAtMs(lane, policy, { chatId: this.chatId, chat: this.chat, weight: ask.weight }, nowMs);
    if (chatFreeMs > nowMs) return this.wait('chat_pace', chatFreeMs);
    const ticketDue = ask.ticketMs !== undefined && ask.ticketMs <= nowMs;
    if (!ticketDue && this.backlogUntil() > nowMs) return this.wait('bot_pace', this.ticketFrom(nowMs));
    const botFreeMs = botFreeAtMs(lane, policy, { weight: ask.weight, bulk: this.bulk }, nowMs);
    if (botFreeMs > nowMs) return this.wait('bot_pace', this.dueTicket(botFreeMs));
    if (this.bulk && this.promisedToReplies() && lane.bulkCredit < 1) {
      return this.wait('bot_pace', this.dueTicket(nowMs + promiseGraceMs));
    }
    if (lane.probe.kind === 'leased' && lane.probe.untilMs > nowMs) {
      const ageMs = nowMs - lane.probe.sinceMs;
      return this.wait('probe', this.dueTicket(Math.min(lane.probe.untilMs, nowMs + Math.max(150, ageMs / 2))));
    }
    return this.grant();
  }

  private grant(): Verdict {
    const { lane, ask, nowMs } = this;
    if (lane.probe.kind !== 'open') {
      const reply = shortHash(ask.reply, 12);
      lane.probe = { kind: 'leased', reply, sinceMs: nowMs, untilMs: nowMs + probeLeaseMs };
    }
    if (this.bulk) lane.bulkCredit = Math.max(0, lane.bulkCredit - 1);
    else if (Math.max(lane.cursors.bulk, lane.cursors.bulkDue) > nowMs) lane.bulkCredit = Math.min(3, lane.bulkCredit + 0.1);
    if (this.place) {
      this.place.ticketMs = nowMs;
      this.place.blockedOn = null;
    }
    lane.fences.set(shortHash(ask.reply, 12), {
      attempt: ask.attempt,
      run: shortHash(ask.run, 6),
      nonce: ask.nonce,
      chat: this.chatId,
      chatKind: ask.chatKind,
      weight: ask.weight,
      grantedAtMs: nowMs,
      state: { kind: 'outstanding' },
    });
    return go(lane, ask, nowMs);
  }

  private wait(why: WaitWhy, untilMs: number, heldSinceMs?: number): Verdict {
    const { lane, nowMs } = this;
    const untilWholeMs = Math.max(nowMs + 1, Math.ceil(untilMs));
    if (this.place) this.place.ticketMs = untilWholeMs;
    const closedUntilMs = lane.cooldown?.notBeforeMs ?? 0;
    return {
      kind: 'wait',
      nowMs,
      untilMs: untilWholeMs,
      why,
      epoch: lane.epoch,
      ...(heldSinceMs === undefined ? {} : { heldSinceMs }),
      ...(closedUntilMs > nowMs ? { cooldownMs: closedUntilMs } : {}),
    };
  }

  private waitForMissing(sinceMs: number): Verdict {
    const elapsedMs = this.nowMs - sinceMs;
    return this.wait('order', this.nowMs + Math.min(5000, Math.max(300, elapsedMs / 2)), sinceMs);
  }

  private promisedToReplies(): boolean {
    const { reply, replyDue } = this.lane.cursors;
    return Math.max(reply, replyDue) + promiseGraceMs > this.nowMs;
  }

  /** Until when tickets are out for the bot: a newcomer goes behind them. */
  private backlogUntil(): number {
    const { reply, replyDue, bulk, bulkDue } = this.lane.cursors;
    return this.bulk ? Math.max(reply, replyDue, bulk, bulkDue) : Math.max(reply, replyDue);
  }

  /** A new ticket at the end of the bot's schedule, and after those before it in its chat; not before `fromMs`. */
  private ticketFrom(fromMs: number): number {
    const { lane, policy, chat, nowMs } = this;
    const ahead = placeAhead(lane, chat, shortHash(this.ask.reply, 6), nowMs);
    const inChatMs = ahead ? Math.max(fromMs, ahead.ticketMs + chatPitchMs(policy, chat.kind)) : fromMs;
    const inBotMs = Math.max(fromMs, this.bulk ? Math.max(lane.cursors.bulk, lane.cursors.reply) : lane.cursors.reply);
    // A ticket that waits for its chat leaves the bot's slots to others.
    if (inBotMs >= inChatMs) {
      lane.cursors[this.bulk ? 'bulk' : 'reply'] = inBotMs + botSpacingMs(lane, policy, nowMs) * this.ask.weight;
    }
    return Math.max(inChatMs, inBotMs);
  }

  private ticketBehind(aheadTicketMs: number): number {
    const { policy, chat, nowMs } = this;
    const overdueMs = Math.max(0, nowMs - aheadTicketMs);
    const pitchMs = Math.max(100, chatPitchMs(policy, chat.kind));
    return Math.max(nowMs, aheadTicketMs) + Math.min(5000, Math.max(pitchMs, overdueMs / 2));
  }

  /** A due ticket found no slot: soon again, one after the other. */
  private dueTicket(freeAtMs: number): number {
    const { lane, policy, nowMs } = this;
    const cursor = this.bulk ? 'bulkDue' : 'replyDue';
    const ticketMs = Math.max(freeAtMs, lane.cursors[cursor]);
    lane.cursors[cursor] = ticketMs + botSpacingMs(lane, policy, nowMs);
    return ticketMs;
  }

  /** While the lane stands still, asks come rarely: whoever lets it go on also wakes the replies. */
  private stallTicket(): number {
    const { lane, nowMs } = this;
    const ticketMs = Math.max(nowMs + 60_000, lane.cursors.stall);
    lane.cursors.stall = ticketMs + 200;
    return ticketMs;
  }
}
