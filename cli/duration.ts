import { InvalidArgumentError } from 'commander';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const longestMs = 366 * 86_400_000;

/** Reads a time such as `90s`, `15m`, `1h` or `2d`, in milliseconds. */
export function readDuration(text: string): number {
  const [, digits, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Math.round(Number(digits) * (unitMs[unit] ?? NaN));
  if (!(ms > 0))
    throw new InvalidArgumentError('Give a time above zero with its unit, such as 90s, 15m, 1h or 2d.');
  if (ms > longestMs) throw new InvalidArgumentError('Give a time of at most 366 days.');
  return ms;
}

/** The age of an instant in words, such as `3 min`. */
export function ageWords(since: string, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(since)) / 1000));
  if (!Number.isFinite(seconds)) return '-';
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Reads a whole number from an option. */
export function readWhole(min: number, max: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < min || value > max) {
      const upTo = max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`;
      throw new InvalidArgumentError(`Give a whole number from ${min}${upTo}.`);
    }
    return value;
  };
}
