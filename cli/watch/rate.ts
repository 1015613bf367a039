/** How many a lane had sent, at an instant of this process. */
export interface SentSample {
  readonly sent: number;
  readonly atMs: number;
}

const windowMs = 10_000;

/** The samples that a rate is told from: those of the last 10 s and the one before. A lane that counts anew begins anew. */
export function withSample(samples: readonly SentSample[], next: SentSample): readonly SentSample[] {
  const last = samples.at(-1);
  if (last !== undefined && last.sent > next.sent) return [next];
  const firstInWindow = samples.findIndex(({ atMs }) => atMs > next.atMs - windowMs);
  const from = firstInWindow < 0 ? samples.length - 1 : firstInWindow - 1;
  return [...samples.slice(Math.max(0, from)), next];
}

/** Sent a second over the samples; null from fewer than two. */
export function ratePerSecond(samples: readonly SentSample[]): number | null {
  const [first, last] = [samples.at(0), samples.at(-1)];
  if (!first || !last || last.atMs <= first.atMs) return null;
  return ((last.sent - first.sent) * 1000) / (last.atMs - first.atMs);
}
