import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { reportOf, tell } from './report.ts';
import { play } from './run.ts';
import { defaultRate, drawSchedule } from './schedule.ts';
import { judge } from './verdict.ts';

/**
 * Plays the faults of a seed against real worker processes, a real server and the fake service, and judges what became of
 * every reply. Exit code 0 if all rules were kept. `--record` writes all evidence down, `--keep` leaves the server's file.
 */
const usage =
  'npm run chaos -- [--seed N] [--minutes M] [--rate R] [--gap G] [--json] [--record FILE] [--keep]';

interface Options {
  readonly seed: number;
  readonly minutes: number;
  readonly rate: number;
  readonly gap: number;
  readonly json: boolean;
  readonly record: string | undefined;
  readonly keep: boolean;
}

function readOptions(): Options | undefined {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string', default: '1' },
        minutes: { type: 'string', default: '1' },
        rate: { type: 'string', default: String(defaultRate) },
        gap: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
        record: { type: 'string' },
        keep: { type: 'boolean', default: false },
      },
    });
    const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
    const [rate, gap] = [Number(values.rate), Number(values.gap)];
    if (!Number.isSafeInteger(seed) || seed < 0 || !(minutes > 0 && minutes <= 24 * 60)) return undefined;
    if (!(rate > 0 && rate <= 100) || !(gap >= 0.1 && gap <= 100)) return undefined;
    return { seed, minutes, rate, gap, json: values.json, record: values.record, keep: values.keep };
  } catch {
    return undefined;
  }
}

const options = readOptions();
if (options === undefined) {
  process.stderr.write(`${usage}\n`);
  process.exit(2);
}
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.on(signal, () => process.exit(code));
const beganMs = performance.now();
const log = (line: string): void => {
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  process.stderr.write(`chaos: ${seconds.padStart(6)} s  ${line}\n`);
};
const schedule = drawSchedule(options.seed, options.minutes * 60_000, options.rate, options.gap);
const record = await play(schedule, { log, keep: options.keep });
const verdict = judge(record.evidence);
if (options.record !== undefined) await writeFile(options.record, JSON.stringify(record));
const text = options.json ? `${JSON.stringify(reportOf(record, verdict), null, 2)}\n` : tell(record, verdict);
await new Promise<void>((resolve) => void process.stdout.write(text, () => resolve()));
process.exit(verdict.passed ? 0 : 1);
