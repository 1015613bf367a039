import { early, inFlightOfFloods, unclaimed, unsavedFloods, windowsBroken } from './checks/cooldown.ts';
import { type Doubt, judgeDoubt, listingSeconds } from './checks/doubt.ts';
import { gambled, lost, twice, wronglyCertain } from './checks/end-state.ts';
import { inverted, skippedPredecessors } from './checks/order.ts';
import type { Evidence, Finding } from './evidence.ts';

/** The rules, each with what broke it, in the order in which they are told. */
export interface Verdict {
  readonly rules: Readonly<Record<RuleName, readonly Finding[]>>;
  readonly doubt: Doubt;
  /** Seconds from an uncertain request to its review, beyond the HTTP time-out. */
  readonly listing: {
    readonly count: number;
    /** How many of them by at most 5 s. */
    readonly withinFive: number;
    readonly median: number;
    readonly p95: number;
    readonly most: number;
  };
  /** Requests that were in flight when a flood was answered. */
  readonly inFlightOfFloods: { readonly count: number; readonly longestMs: number };
  /** Replies that went without a predecessor which the lane had not heard of for 30 s. */
  readonly skippedPredecessors: number;
  readonly passed: boolean;
}

export const ruleNames = {
  lost: 'replies lost',
  twice: 'sent twice',
  gambled: 'repeated in doubt',
  early: 'early',
  unsavedFloods: 'floods not saved',
  unclaimed: 'requests without a claim',
  windows: 'windows broken',
  inverted: 'out of order',
  wronglyCertain: 'wrongly certain',
  missed: 'uncertain and not in review',
} as const;
export type RuleName = keyof typeof ruleNames;

/** Judges a run by its evidence. Pure. */
export function judge(evidence: Evidence): Verdict {
  const doubt = judgeDoubt(evidence);
  const rules: Record<RuleName, readonly Finding[]> = {
    lost: lost(evidence),
    twice: twice(evidence),
    gambled: gambled(evidence),
    early: early(evidence),
    unsavedFloods: unsavedFloods(evidence),
    unclaimed: unclaimed(evidence),
    windows: windowsBroken(evidence),
    inverted: inverted(evidence),
    wronglyCertain: wronglyCertain(evidence),
    missed: doubt.missed,
  };
  const seconds = [...listingSeconds(evidence)].sort((a, b) => a - b);
  const at = (share: number): number =>
    seconds[Math.min(seconds.length - 1, Math.floor(share * seconds.length))] ?? 0;
  return {
    rules,
    doubt,
    listing: {
      count: seconds.length,
      withinFive: seconds.filter((late) => late <= 5).length,
      median: at(0.5),
      p95: at(0.95),
      most: at(1),
    },
    inFlightOfFloods: inFlightOfFloods(evidence),
    skippedPredecessors: skippedPredecessors(evidence).length,
    passed: Object.values(rules).every((findings) => findings.length === 0),
  };
}
