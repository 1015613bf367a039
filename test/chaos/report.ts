import type { Evidence } from './evidence.ts';
import type { RunRecord } from './run.ts';
import { type RuleName, type Verdict, ruleNames } from './verdict.ts';

/** How many findings of a rule are told one by one. */
const toldFindings = 10;

/** What a run came to, as one JSON-safe document. */
export function reportOf(record: RunRecord, verdict: Verdict): Record<string, unknown> {
  const { schedule, evidence, startedAt, settledAfterMs, handOvers, serverRestarts, workerTrouble } = record;
  const { doubt, listing, passed, inFlightOfFloods } = verdict;
  const hits = evidence.faults.filter(({ firedAtMs }) => firedAtMs !== null);
  const minutes = schedule.durationMs / 60_000;
  return {
    seed: schedule.seed,
    minutes,
    rate: schedule.rate,
    gap: schedule.gap,
    passed,
    startedAt,
    rules: Object.fromEntries(
      Object.entries(verdict.rules).map(([name, findings]) => [name, findings.length]),
    ),
    findings: Object.entries(verdict.rules).flatMap(([rule, findings]) =>
      findings.map((finding) => ({ rule, ...finding })),
    ),
    recall: doubt.recall,
    uncertain: doubt.uncertain,
    precision: doubt.precision,
    unknown: {
      attempts: doubt.unknown,
      arrived: doubt.arrived,
      onTheWire: doubt.onTheWire,
      nothingLeft: doubt.nothingLeft,
    },
    secondsToReviewBeyondTimeout: listing,
    replies: { accepted: evidence.replies.length, ...countStates(evidence) },
    requests: evidence.arrivals.length,
    stored: evidence.stored.length,
    floods: evidence.deadlines.length,
    inFlightOfFloods,
    skippedPredecessors: verdict.skippedPredecessors,
    faults: {
      fired: hits.length,
      perHour: Math.round((hits.length * 60) / minutes),
      inFlight: hits.filter(({ inFlight }) => inFlight).length,
      byKind: countBy(hits.map(({ planned }) => planned.fault.kind)),
    },
    people: countBy(evidence.acts.map(({ kind, answer }) => `${kind}: ${answer}`)),
    handOvers,
    serverRestarts,
    workerTrouble,
    fakeProblems: record.fakeProblems,
    timersLateMs: record.lateMs,
    secondsToSettle: Math.round(settledAfterMs / 1000),
  };
}

/** The same for a terminal. */
export function tell(record: RunRecord, verdict: Verdict): string {
  const { evidence, schedule } = record;
  const { doubt, listing, inFlightOfFloods } = verdict;
  const hits = evidence.faults.filter(({ firedAtMs }) => firedAtMs !== null);
  const states = Object.entries(countStates(evidence)).map(([state, count]) => `${count} ${state}`);
  const lines = [
    `seed ${schedule.seed}, ${schedule.durationMs / 60_000} minutes: ${verdict.passed ? 'all rules were kept' : 'RULES WERE BROKEN'}`,
    '',
    `replies            ${evidence.replies.length}: ${states.join(', ')}`,
    `requests           ${evidence.arrivals.length}, ${evidence.stored.length} stored, ${evidence.deadlines.length} refused for flood`,
    `faults             ${hits.length}, ${hits.filter(({ inFlight }) => inFlight).length} with a request in flight, ${record.serverRestarts} of them kills of the server`,
    '',
    ...Object.entries(ruleNames).map(
      ([name, words]) => `${words.padEnd(30)} ${verdict.rules[name as RuleName].length}`,
    ),
    '',
    `recall of uncertain sends      ${doubt.recall.toFixed(2)} (of ${doubt.uncertain})`,
    `precision of "unknown"         ${doubt.precision.toFixed(2)} (of ${doubt.unknown}: ${doubt.arrived} arrived, ${doubt.onTheWire} left the worker, ${doubt.nothingLeft} did not)`,
    `seconds to review, beyond the time-out: median ${listing.median.toFixed(1)}, 95 % ${listing.p95.toFixed(1)}, most ${listing.most.toFixed(1)}; ${listing.withinFive} of ${listing.count} within 5`,
    `in flight when a flood was answered: ${inFlightOfFloods.count} requests, the last ${inFlightOfFloods.longestMs} ms after`,
    `let go without a predecessor unheard of for 30 s: ${verdict.skippedPredecessors}`,
    `all replies had ended ${Math.round(record.settledAfterMs / 1000)} s after the last fault; timers of the harness late by ${record.lateMs.median} ms (median), ${record.lateMs.p99} ms (99 %)`,
  ];
  for (const [name, findings] of Object.entries(verdict.rules)) {
    for (const { bot, key, what } of findings.slice(0, toldFindings))
      lines.push(`${ruleNames[name as RuleName]}: ${bot}/${key} ${what}`);
  }
  return `${lines.join('\n')}\n`;
}

function countStates({ replies }: Evidence): Readonly<Record<string, number>> {
  return countBy(replies.map(({ record }) => record?.state ?? 'lost'));
}

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
