import { deadPlaceMs, missingPredecessorMs } from '../../../../domain/lane/order.ts';
import type { Ask, Report, RevokeAnswer, Verdict } from '../../../../domain/lane/messages.ts';

const answerBoundMs = 25_000;

/** What the judge knows of one reply, apart from the lane. */
export interface Book {
  readonly reply: string;
  readonly chat: string;
  readonly after: string | undefined;
  readonly isBulk: boolean;
  /** Place in the order of first asks. */
  askedAs: number | undefined;
  askedAtMs: number;
  /** When the lane expects to hear of it. Its place may be given up when it is overdue. */
  expectedMs: number;
  mayHaveLostPlace: boolean;
  /** Sent, refused, under review, cancelled or expired, as the lane has been told. */
  isThrough: boolean;
  /** It will never ask again, and nobody was told. */
  hasVanished: boolean;
}

interface Grant {
  readonly nonce: string;
  readonly atMs: number;
  /** Reported, revoked, or given up. */
  isOver: boolean;
}

/** Looks at what goes in and out of the lane, and writes down each promise that it breaks. */
export class Judge {
  readonly violations: string[] = [];
  readonly books = new Map<string, Book>();
  readonly grants = new Map<string, Grant>();
  private readonly byChat = new Map<string, Book[]>();
  private readonly nevers = new Set<string>();
  private asked = 0;
  private deadlineMs = 0;
  private readonly open = new Set<Grant>();
  private readonly maxOutstanding: number;
  /** Grants since the last cooldown was saved, while nothing has proved that the service takes requests again. */
  private probes: Grant[] | undefined = [];
  standsStill = false;
  checksOrder = true;

  constructor(maxOutstanding: number) {
    this.maxOutstanding = maxOutstanding;
  }

  /** Begins to watch a reply. */
  openBook(part: Pick<Book, 'reply' | 'chat' | 'after' | 'isBulk'>): Book {
    const { reply, chat } = part;
    const book: Book = {
      ...part,
      askedAs: undefined,
      askedAtMs: 0,
      expectedMs: 0,
      mayHaveLostPlace: false,
      isThrough: false,
      hasVanished: false,
    };
    this.books.set(reply, book);
    this.byChat.set(chat, [...(this.byChat.get(chat) ?? []), book]);
    return book;
  }

  /** Of each ask, in the order in which the lane looks at them. */
  sees(ask: Ask, verdict: Verdict, nowMs: number): void {
    const key = `${ask.reply}#${ask.attempt}`;
    const grant = this.grants.get(key);
    this.closeEarlier(ask);
    if (verdict.kind !== 'go') {
      // A batch that was given up long ago is refused as a whole.
      const isStale = verdict.kind === 'refused' && verdict.why === 'stale_ask';
      if (grant && !grant.isOver && grant.nonce === ask.nonce && !isStale) {
        this.object(`${key}: go became ${verdict.kind} for the same nonce`);
      }
      if (verdict.kind === 'wait') this.noteFirstAsk(ask, nowMs, verdict.untilMs);
      else if (verdict.why === 'expired') this.books.get(ask.reply)!.isThrough = true;
      return;
    }
    this.noteFirstAsk(ask, nowMs, nowMs);
    if (this.nevers.has(key)) this.object(`${key}: granted after it was revoked as never claimed`);
    if (grant) {
      if (grant.nonce !== ask.nonce) this.object(`${key}: granted twice`);
      return;
    }
    const fresh: Grant = { nonce: ask.nonce, atMs: nowMs, isOver: false };
    this.grants.set(key, fresh);
    if (nowMs < this.deadlineMs)
      this.object(`${key}: granted ${this.deadlineMs - nowMs} ms before the deadline`);
    if (this.standsStill) this.object(`${key}: granted by a lane that stands still`);
    this.checkProbe(key, fresh);
    this.checkOutstanding(key, fresh);
    if (this.checksOrder) this.checkOrder(ask, nowMs);
  }

  hears(report: Report, nowMs: number): void {
    const { reply, attempt, outcome } = report;
    const grant = this.grants.get(`${reply}#${attempt}`);
    const wasOpen = grant && !grant.isOver;
    if (grant && outcome !== 'gone') grant.isOver = true;
    if (outcome === 'flood') {
      this.closes(nowMs - report.ageMs + Math.max(1000, report.retryAfterMs ?? 0));
      this.books.get(reply)!.expectedMs = this.deadlineMs;
    }
    if (outcome === 'held') this.closes(nowMs - report.ageMs + 60_000);
    const isProof = outcome === 'sent' || outcome === 'migrated' || outcome === 'rejected';
    if (wasOpen && isProof && report.detail !== 'auth' && this.probes?.includes(grant))
      this.probes = undefined;
    const keepsPlace = outcome === 'flood' || outcome === 'unreached' || outcome === 'migrated';
    if (!keepsPlace && report.detail !== 'auth' && (wasOpen || outcome === 'gone')) {
      this.books.get(reply)!.isThrough = true;
    }
  }

  hearsRevoke(reply: string, attempt: number, answer: RevokeAnswer): void {
    const key = `${reply}#${attempt}`;
    const grant = this.grants.get(key);
    if (answer.kind === 'never') {
      if (grant) this.object(`${key}: revoked as never claimed, but was`);
      this.nevers.add(key);
    }
    if (answer.kind === 'yes') {
      if (!grant) this.object(`${key}: revoked as claimed, but was not`);
      if (answer.reported === null) this.books.get(reply)!.isThrough = true;
    }
    if (grant) grant.isOver = true;
  }

  /** A cooldown was saved. */
  closes(notBeforeMs: number): void {
    this.deadlineMs = Math.max(this.deadlineMs, notBeforeMs);
    this.probes = [];
  }

  /** An operator opened the lane; a probe that is out stays the probe. */
  overridden(): void {
    this.deadlineMs = 0;
    this.probes ??= [];
  }

  object(violation: string): void {
    this.violations.push(violation);
  }

  /** An ask for the next attempt: the claim of the one before was given up, if it was ever granted. */
  private closeEarlier({ reply, attempt }: Ask): void {
    const earlier = this.grants.get(`${reply}#${attempt - 1}`);
    if (earlier) earlier.isOver = true;
  }

  private noteFirstAsk({ reply }: Ask, nowMs: number, expectedMs: number): void {
    const book = this.books.get(reply)!;
    if (book.askedAs === undefined) {
      book.askedAs = this.asked++;
      book.askedAtMs = nowMs;
    } else if (isOverdue(book, nowMs)) book.mayHaveLostPlace = true;
    book.expectedMs = expectedMs;
  }

  /** F5: one request at a time until one has got through. */
  private checkProbe(key: string, grant: Grant): void {
    if (!this.probes) return;
    const open = this.probes.find((probe) => !probe.isOver && probe.atMs + answerBoundMs > grant.atMs);
    if (open) this.object(`${key}: a second probe while one is out`);
    this.probes.push(grant);
  }

  /** F13: few requests are without an answer at one time. */
  private checkOutstanding(key: string, grant: Grant): void {
    for (const other of this.open) {
      if (other.isOver || other.atMs + answerBoundMs <= grant.atMs) this.open.delete(other);
    }
    this.open.add(grant);
    if (this.open.size > this.maxOutstanding) this.object(`${key}: ${this.open.size} requests are out`);
  }

  /** F12, rule 9: nobody of the chat who asked before, and who could go himself, is overtaken. */
  private checkOrder({ reply }: Ask, nowMs: number): void {
    const own = this.books.get(reply)!;
    if (own.mayHaveLostPlace) return;
    for (const other of this.byChat.get(own.chat) ?? []) {
      if (other === own || other.isThrough || other.hasVanished) continue;
      if (other.mayHaveLostPlace || (other.askedAs !== undefined && isOverdue(other, nowMs))) continue;
      if (own.after === other.reply) {
        const waitedMs = nowMs - own.askedAtMs;
        if (other.askedAs !== undefined || waitedMs < missingPredecessorMs) {
          this.object(`${own.reply} goes before its predecessor ${other.reply}`);
        }
      } else if (
        other.askedAs !== undefined &&
        own.askedAs !== undefined &&
        other.askedAs < own.askedAs &&
        (own.isBulk || !other.isBulk) &&
        !this.isBlocked(other)
      ) {
        this.object(`${own.reply} overtakes ${other.reply} at ${nowMs}`);
      }
    }
  }

  private isBlocked({ after }: Book): boolean {
    const predecessor = after === undefined ? undefined : this.books.get(after);
    return predecessor !== undefined && !predecessor.isThrough;
  }
}

function isOverdue({ expectedMs }: Book, nowMs: number): boolean {
  return nowMs > expectedMs + deadPlaceMs;
}
