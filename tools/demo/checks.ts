import {
  duplicates,
  earlyArrivals,
  outOfOrder,
  unsafeRepeats,
  windowViolations,
} from '../../test/support/fake-service/index.ts';
import { busiestOf } from './busiest.ts';
import { type Evidence, keyByText, uncertainKeys } from './evidence.ts';

/** The rules of sending that the demo checks, as pure functions of the evidence: the same for every sender. */

export const ruleTitles = {
  deadlines: 'nothing before a deadline',
  twice: 'nothing twice',
  lost: 'nothing lost',
  windows: 'windows kept',
  order: 'order kept within each chat',
  review: 'the uncertain ones, and only they, under review',
} as const;

export type RuleName = keyof typeof ruleTitles;

export interface Finding<Name extends string = string> {
  readonly name: Name;
  readonly title: string;
  readonly ok: boolean;
  /** What was measured, in words for people. */
  readonly figure: string;
  readonly numbers: Readonly<Record<string, number | null>>;
}

/** Requests so soon after a wait was announced were on their way already, and may still arrive (invariant 2). */
export const inFlightMs = 500;

export function checkRules(evidence: Evidence): readonly Finding<RuleName>[] {
  return [
    checkDeadlines(evidence),
    checkTwice(evidence),
    checkLost(evidence),
    checkWindows(evidence),
    checkOrder(evidence),
    checkReview(evidence),
  ];
}

export function checkDeadlines({ arrivals, deadlines }: Evidence): Finding<RuleName> {
  const early = earlyArrivals(arrivals, deadlines, { inFlightMs });
  const inFlight = earlyArrivals(arrivals, deadlines).length - early.length;
  const margins = deadlines.flatMap(({ answeredAtMs, untilMs }) => {
    const next = arrivals.find(({ atMs }) => atMs > answeredAtMs + inFlightMs);
    return next === undefined ? [] : [next.atMs - untilMs];
  });
  const closestMs = margins.length === 0 ? null : Math.round(Math.min(...margins));
  const onTheWay = inFlight === 0 ? '' : `, ${inFlight} on the way already when the wait was announced`;
  // Without a wait nothing was put to the test.
  const ok = early.length === 0 && closestMs !== null;
  const figure =
    closestMs === null
      ? 'no wait was asked for and then followed by a request, so nothing was shown'
      : `${count(early.length, 'request')} early${onTheWay}; ${closestWords(closestMs)}; ${waitWords(deadlines)}`;
  return finding('deadlines', ok, figure, {
    early: early.length,
    inFlight,
    closestMarginMs: closestMs,
    waits: deadlines.length,
  });
}

export function checkTwice({ arrivals, stored }: Evidence): Finding<RuleName> {
  const twice = duplicates(stored).length;
  const blind = unsafeRepeats(arrivals).length;
  const figure = `${count(stored.length, 'message')} taken, ${twice} of them twice; ${count(blind, 'request')} repeated blindly`;
  return finding('twice', twice === 0 && blind === 0, figure, { messages: stored.length, twice, blind });
}

/** Every reply has an ending that the service's own record bears out. */
export function checkLost({ planned, arrivals, stored, endings }: Evidence): Finding<RuleName> {
  const keyOf = keyByText(planned);
  const taken = new Set(stored.map(({ text }) => keyOf(text)));
  const asked = new Set(arrivals.map(({ text }) => keyOf(text)));
  const counts = { sent: 0, review: 0, cancelled: 0, expired: 0 };
  const unaccounted: string[] = [];
  for (const { key } of planned) {
    const ending = endings.get(key);
    const isTaken = taken.has(key);
    if (ending === 'sent' && isTaken) counts.sent += 1;
    else if (ending === 'review' && asked.has(key)) counts.review += 1;
    else if ((ending === 'cancelled' || ending === 'expired') && !isTaken) counts[ending] += 1;
    else unaccounted.push(`${key} (${ending ?? 'no word of it'}, ${isTaken ? 'taken' : 'never taken'})`);
  }
  const accounted = planned.length - unaccounted.length;
  const { sent, review, cancelled, expired } = counts;
  const parts = `${sent} sent, ${review} under review, ${cancelled} cancelled, ${expired} expired`;
  const missing = unaccounted.length === 0 ? '' : `; not: ${shortened(unaccounted.join(', '))}`;
  const figure = `${accounted} of ${planned.length} accounted for: ${parts}${missing}`;
  return finding('lost', unaccounted.length === 0, figure, { planned: planned.length, accounted, ...counts });
}

export function checkWindows({ arrivals, windows }: Evidence): Finding<RuleName> {
  const exceeded = windowViolations(arrivals, windows);
  const busiest = { bot: 0, chat: 0, group: 0 };
  const parts: string[] = [];
  for (const scope of ['bot', 'chat', 'group'] as const) {
    for (const window of windows[scope] ?? []) {
      busiest[scope] = busiestOf(arrivals, scope, window.perMs);
      parts.push(`${scope} ${busiest[scope]} of ${window.limit} in ${window.perMs / 1000} s`);
    }
  }
  const figure = `${count(exceeded.length, 'request')} too many; at the busiest: ${parts.join(', ')}`;
  return finding('windows', exceeded.length === 0, figure, { tooMany: exceeded.length, ...busiest });
}

export function checkOrder({ planned, arrivals }: Evidence): Finding<RuleName> {
  const orders = new Map(planned.map(({ text, order }) => [text, order]));
  const late = outOfOrder(arrivals, ({ text }) => orders.get(text ?? '') ?? null);
  const chats = new Set(planned.map(({ chat }) => chat)).size;
  const figure = `${count(late.length, 'request')} overtaken by a later reply of its chat; ${chats} chats, ${arrivals.length} requests`;
  return finding('order', late.length === 0, figure, { overtaken: late.length, requests: arrivals.length });
}

export function checkReview(evidence: Evidence): Finding<RuleName> {
  const uncertain = uncertainKeys(evidence);
  const underReview = [...evidence.endings].filter(([, ending]) => ending === 'review').map(([key]) => key);
  const missed = uncertain.filter((key) => !underReview.includes(key));
  const needless = underReview.filter((key) => !uncertain.includes(key));
  const words = [
    `${uncertain.length} uncertain${uncertain.length === 0 ? '' : ` (${shortened(uncertain.join(', '))})`}`,
    `${underReview.length} under review`,
    ...(missed.length === 0 ? [] : [`overlooked: ${shortened(missed.join(', '))}`]),
    ...(needless.length === 0 ? [] : [`needlessly: ${shortened(needless.join(', '))}`]),
  ];
  // A run in which nothing was uncertain shows nothing.
  const ok = uncertain.length > 0 && missed.length === 0 && needless.length === 0;
  return finding('review', ok, words.join(', '), {
    uncertain: uncertain.length,
    underReview: underReview.length,
    overlooked: missed.length,
    needless: needless.length,
  });
}

function finding(
  name: RuleName,
  ok: boolean,
  figure: string,
  numbers: Finding['numbers'],
): Finding<RuleName> {
  return { name, title: ruleTitles[name], ok, figure, numbers };
}

function waitWords(deadlines: Evidence['deadlines']): string {
  const seconds = deadlines.map(({ retryAfterSeconds }) => `${retryAfterSeconds} s`);
  return seconds.length <= 5 ? `waits asked for: ${seconds.join(', ')}` : `${seconds.length} waits asked for`;
}

function closestWords(marginMs: number): string {
  return marginMs >= 0
    ? `the closest ${marginMs} ms after the end of a wait`
    : `the closest ${-marginMs} ms before the end of a wait`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function shortened(text: string): string {
  return text.length <= 70 ? text : `${text.slice(0, 67)}…`;
}
