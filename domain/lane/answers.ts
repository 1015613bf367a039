/** Requests of one scope that were answered: the instant, and how many slots. In no particular order. */
export type Answers = [atMs: number, slots: number][];

/** A list up to this length, and what is younger than this, is kept exactly. */
const exactLength = 100;
const exactAgeMs = 2000;

/** Notes an answer: its slots come back one window later. */
export function addAnswer(answers: Answers, atMs: number, slots: number): void {
  answers.push([atMs, slots]);
}

/**
 * Drops what is older than `lookBackMs`; gathers the rest of a long list the coarser the older it is, so that it stays
 * short whatever the limits. An instant is only ever moved later, by at most a sixty-fourth of its age. The grids are
 * powers of two, each a part of the finer one: gathering again and again moves nothing further than gathering once.
 */
export function thinAnswers(answers: Answers, lookBackMs: number, nowMs: number): Answers {
  const recent = answers.filter(([atMs]) => atMs > nowMs - lookBackMs);
  if (recent.length <= exactLength) return recent;
  const gathered = new Map<number, number>();
  for (const [atMs, slots] of recent) {
    const ageMs = nowMs - atMs;
    const gridMs = ageMs <= exactAgeMs ? 1 : 2 ** (31 - Math.clz32(ageMs / 64));
    const laterMs = Math.ceil(atMs / gridMs) * gridMs;
    gathered.set(laterMs, (gathered.get(laterMs) ?? 0) + slots);
  }
  return [...gathered];
}

/** Slots that were answered after an instant. */
export function slotsSince(answers: Answers, sinceMs: number): number {
  return answers.reduce((sum, [atMs, slots]) => (atMs > sinceMs ? sum + slots : sum), 0);
}
