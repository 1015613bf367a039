import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../tools/temporal/package-root.ts';
import { measureCooldown } from './cooldown.ts';
import type { Figure } from './figure.ts';
import { measureLane } from './lane.ts';
import { measureThroughput } from './throughput.ts';

/** `npm run bench`: measures ratios in one run and writes them to `docs/benchmarks.md`, those that fell short too. */
const note = (line: string): void => void process.stderr.write(`bench: ${line}\n`);
const figures: Figure[] = [];
for (const measure of [async () => measureLane(), measureThroughput, measureCooldown]) {
  for (const figure of await measure(note)) {
    figures.push(figure);
    note(`${figure.what}: ${figure.measured} (${figure.goal}) ${figure.met ? 'met' : 'NOT MET'}`);
  }
}
const rows = figures.map(
  ({ what, measured, goal, met }) => `| ${what} | ${measured} | ${goal} | ${met ? 'yes' : 'no'} |`,
);
const text = `# Benchmarks

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: Node ${process.versions.node}, ${cpus().length} cores,
the embedded Temporal server, the fake service on loopback. Absolute rates depend on the machine; the ratios were
taken in one run.

| what | measured | goal | met |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
await writeFile(join(packageRoot(), 'docs', 'benchmarks.md'), text);
note('written to docs/benchmarks.md');
// Left to itself, Node at times goes on for ever at its end, looking for handles to close.
process.exit(figures.every((figure) => figure.met) ? 0 : 1);
