import type { Arrival, WindowScope } from '../../test/support/fake-service/index.ts';

/** The most requests that any window of this length saw. */
export function busiestOf(
  arrivals: readonly Pick<Arrival, 'atMs' | 'chat'>[],
  scope: WindowScope,
  perMs: number,
): number {
  const lanes = new Map<string, number[]>();
  for (const { atMs, chat } of arrivals) {
    const isGroup = chat !== null && !/^\d/.test(chat);
    if (scope !== 'bot' && (chat === null || isGroup !== (scope === 'group'))) continue;
    const lane = scope === 'bot' ? '' : (chat ?? '');
    lanes.set(lane, [...(lanes.get(lane) ?? []), atMs]);
  }
  let busiest = 0;
  for (const instants of lanes.values()) {
    instants.sort((a, b) => a - b);
    for (let first = 0, last = 0; last < instants.length; last += 1) {
      while ((instants[last] ?? 0) - (instants[first] ?? 0) >= perMs) first += 1;
      busiest = Math.max(busiest, last - first + 1);
    }
  }
  return busiest;
}
