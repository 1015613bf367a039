import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Observe } from '../../activities/observe.ts';
import type { OutcomeKind } from '../../domain/outcome.ts';

/** A bot as metrics name it; nothing else of a reply is ever a label (invariant 8). */
export interface MeasuredBot {
  readonly name: string;
  readonly contract: string;
}

const outcomes: Readonly<Record<OutcomeKind, true>> = {
  sent: true,
  flood: true,
  paused: true,
  held: true,
  rejected: true,
  migrated: true,
  unknown: true,
  unreached: true,
};

/** Asks are gathered for up to 150 ms, and given up after 10 s. */
const claimBuckets = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10];
/** A request is given up after 20 s, or what a bot's settings say. */
const sendBuckets = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30];

/** What this process does itself, counted since it started. */
export function observedMetrics(registry: Registry, bots: Iterable<MeasuredBot>): Observe {
  const registers = [registry];
  const attempts = new Counter({
    name: 'replylane_attempts_total',
    help: 'Attempts of this process, by what they came to',
    labelNames: ['bot', 'contract', 'outcome'],
    registers,
  });
  const floods = new Counter({
    name: 'replylane_floods_total',
    help: 'Attempts of this process that the service answered with flood control and a delay',
    labelNames: ['bot', 'contract'],
    registers,
  });
  const claimSeconds = new Histogram({
    name: 'replylane_claim_seconds',
    help: 'Time from asking the lane to its answer, gathering included',
    labelNames: ['bot'],
    buckets: claimBuckets,
    registers,
  });
  const sendSeconds = new Histogram({
    name: 'replylane_send_seconds',
    help: "Time from a granted claim to the head of the service's answer, or to giving up",
    labelNames: ['bot', 'contract', 'outcome'],
    buckets: sendBuckets,
    registers,
  });
  const reportsKept = new Gauge({
    name: 'replylane_reports_kept',
    help: 'Reports to the lane that wait in this process for Temporal to take them',
    labelNames: ['bot'],
    registers,
  });
  // A counter that begins with its first event hides that event from rate() and increase().
  for (const { name: bot, contract } of bots) {
    for (const outcome of Object.keys(outcomes)) attempts.inc({ bot, contract, outcome }, 0);
    floods.inc({ bot, contract }, 0);
    claimSeconds.zero({ bot });
    reportsKept.set({ bot }, 0);
  }
  return (seen) => {
    switch (seen.event) {
      case 'claim':
        claimSeconds.observe({ bot: seen.bot }, seen.ms / 1000);
        return;
      case 'attempt': {
        const { bot, contract, outcome, ms } = seen;
        attempts.inc({ bot, contract, outcome });
        sendSeconds.observe({ bot, contract, outcome }, ms / 1000);
        if (outcome === 'flood') floods.inc({ bot, contract });
        return;
      }
      case 'reports_kept':
        reportsKept.set({ bot: seen.bot }, seen.count);
        return;
      // The lanes' gauges tell these of every worker's lane, and a bot that is not configured must make no series.
      case 'no_attempt':
      case 'lane_closed':
      case 'lane_stopped':
      case 'lane_paused':
      case 'lane_opened':
        return;
    }
  };
}
