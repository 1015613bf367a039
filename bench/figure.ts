/** One line of the report: what was measured, what came out, and what was hoped for. */
export interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly goal: string;
  readonly met: boolean;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function round(value: number, digits = 2): string {
  return value.toFixed(digits);
}
