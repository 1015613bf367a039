import { windowViolations } from '../../support/fake-service/index.ts';
import type { ArrivalEvidence, Closing, Evidence, Finding, Grant } from '../evidence.ts';
import { groupBy } from './reply-facts.ts';

/** Between the last look at a claim and the instant that the service notes, beside what a slow network adds. */
const noteLagMs = 500;

/**
 * Invariant 2. A claim was granted after the lane had saved that it was closed; or a request arrived while the lane was
 * closed, on a claim that was granted after that was saved, or on an older one whose life was over. What was granted
 * before, and is young, may be in flight.
 */
export function early(evidence: Evidence): readonly Finding[] {
  const longestMs = longestTripMs(evidence);
  return evidence.lanes.flatMap(({ bot, grants, closings }) => {
    const byKey = groupBy(grants, ({ key }) => key);
    const granted = grants.flatMap(({ key, atMs }) =>
      closedAt(closings, atMs).map((closing) => {
        const what = `a claim was granted ${atMs - closing.savedAtMs} ms after "${closing.why}" was saved, ${closing.untilMs - atMs} ms early`;
        return { bot, key, what };
      }),
    );
    const arrived = evidence.arrivals.flatMap((arrival) => {
      if (arrival.bot !== bot || arrival.text === null) return [];
      const grant = grantOf(arrival, byKey);
      return closedAt(closings, arrival.atMs)
        .filter(({ savedAtMs, why }) => {
          // A pause is for claims: what was granted before it may go.
          const graceMs = why === 'paused' ? Infinity : longestMs;
          return grant === undefined || grant.atMs > savedAtMs || arrival.atMs > savedAtMs + graceMs;
        })
        .map(({ why, savedAtMs, untilMs }) => {
          const what = `arrived ${Math.round(untilMs - arrival.atMs)} ms early, ${Math.round(arrival.atMs - savedAtMs)} ms after "${why}" was saved`;
          return { bot, key: arrival.text, what };
        });
    });
    return [...granted, ...arrived];
  });
}

/** Requests that arrived within a wait which had been announced, before the lane had saved it: how many, how late. */
export function inFlightOfFloods(evidence: Evidence): { readonly count: number; readonly longestMs: number } {
  const lags = evidence.deadlines.flatMap(({ bot, answeredAtMs, untilMs }) =>
    evidence.arrivals
      .filter((arrival) => arrival.bot === bot && arrival.atMs > answeredAtMs && arrival.atMs < untilMs)
      .map(({ atMs }) => atMs - answeredAtMs),
  );
  return { count: lags.length, longestMs: Math.round(Math.max(0, ...lags)) };
}

/** The service announced a wait, and no lane ever saved it, though the reply knows of the flood (rule 2 of the lane). */
export function unsavedFloods(evidence: Evidence): readonly Finding[] {
  const closings = new Set(
    evidence.lanes.flatMap((lane) => lane.closings.map(({ key }) => `${lane.bot} ${key}`)),
  );
  return evidence.replies.flatMap(({ bot, key, record }) => {
    const flooded = record?.attempts.some(({ outcome }) => outcome === 'flood') ?? false;
    return flooded && !closings.has(`${bot} ${key}`)
      ? [{ bot, key, what: 'was refused for flood, and its lane was not told' }]
      : [];
  });
}

/** Invariant 4: a request without a claim of its own, or one that arrived when its claim's life was over. */
export function unclaimed(evidence: Evidence): readonly Finding[] {
  const longestMs = longestTripMs(evidence);
  return evidence.lanes.flatMap(({ bot, grants }) => {
    const byKey = groupBy(grants, ({ key }) => key);
    const used = new Set<Grant>();
    return evidence.arrivals.flatMap((arrival) => {
      if (arrival.bot !== bot || arrival.text === null) return [];
      const { text: key } = arrival;
      const grant = grantOf(arrival, byKey);
      if (grant === undefined) return [{ bot, key, what: 'arrived without any claim' }];
      if (used.has(grant)) return [{ bot, key, what: `arrived twice on claim ${grant.attempt}` }];
      used.add(grant);
      const ageMs = Math.round(arrival.atMs - grant.atMs);
      return ageMs > longestMs ? [{ bot, key, what: `arrived ${ageMs} ms after its claim was granted` }] : [];
    });
  });
}

/** The service saw more than a window allows (rule 7 of the lane). Requests count whether or not they were answered. */
export function windowsBroken(evidence: Evidence): readonly Finding[] {
  return windowViolations(evidence.arrivals, evidence.settings.windows).map(
    ({ bot, scope, chat, window, n, afterMs }) => {
      const key = evidence.arrivals.find((arrival) => arrival.n === n)?.text ?? null;
      const where = chat === null ? scope : `${scope} ${chat}`;
      return {
        bot,
        key,
        what: `more than ${window.limit} in ${window.perMs} ms (${where}): ${afterMs.toFixed(1)} ms`,
      };
    },
  );
}

/** Longest time from a claim's grant to its arrival that the rules allow. */
function longestTripMs({ settings }: Evidence): number {
  return settings.claimLifeMs + settings.slowestWireMs + noteLagMs;
}

/** The claim on which a request left: the latest of its reply that had been granted by then. */
function grantOf(arrival: ArrivalEvidence, byKey: ReadonlyMap<string, readonly Grant[]>): Grant | undefined {
  return byKey.get(arrival.text ?? '')?.findLast(({ atMs }) => atMs <= arrival.atMs + 1);
}

function closedAt(closings: readonly Closing[], atMs: number): readonly Closing[] {
  return closings.filter(({ savedAtMs, untilMs }) => savedAtMs < atMs && atMs < untilMs);
}
