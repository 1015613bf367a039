import type { ReplyStateName } from '../../domain/record.ts';

/** How things stand at one instant. */
export interface Glance {
  readonly elapsedMs: number;
  /** A reply being sent counts as waiting, as in the list of workflows. */
  readonly counts: Readonly<Partial<Record<ReplyStateName, number>>>;
  readonly inFlight: number;
  /** Requests that the service saw in the last second. */
  readonly lastSecond: number;
  /** Null where the lane is open. */
  readonly closed: { readonly until: string; readonly leftMs: number; readonly reason: string } | null;
}

const shown: readonly (readonly [ReplyStateName, string])[] = [
  ['waiting', 'waiting'],
  ['sent', 'sent'],
  ['review', 'under review'],
  ['cancelled', 'cancelled'],
  ['expired', 'expired'],
];

/** The live table: a row for each question somebody would ask. */
export function tableRows(glance: Glance, total: number): readonly string[] {
  const headings = shown.map(([, heading]) => heading);
  const counts = shown.map(([state]) => String(glance.counts[state] ?? 0));
  const widths = headings.map((heading, index) => Math.max(heading.length, counts[index]?.length ?? 0) + 2);
  const row = (cells: readonly string[]): string =>
    cells.map((cell, index) => cell.padStart(widths[index] ?? 0)).join('');
  return [
    `${row(headings)}  of ${total}`,
    row(counts),
    `  lane     ${laneWords(glance)}`,
    `  service  ${glance.lastSecond} requests in the last second, ${glance.inFlight} in flight`,
    `  elapsed  ${seconds(glance.elapsedMs)}`,
  ];
}

/** The same in one line, where there is no terminal. */
export function tableLine(glance: Glance): string {
  const counts = shown.map(([state, heading]) => `${heading} ${glance.counts[state] ?? 0}`).join(', ');
  return `${counts}; lane ${laneWords(glance)}; ${glance.lastSecond} requests in the last second`;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function laneWords({ closed }: Glance): string {
  if (closed === null) return 'open';
  return `closed until ${closed.until.slice(11, 23)} UTC, ${seconds(closed.leftMs)} from now (${closed.reason})`;
}
