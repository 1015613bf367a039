import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../temporal/package-root.ts';
import { documentOf } from './document.ts';
import type { ForeignServer } from './foreign-server.ts';
import { openStage } from './stage.ts';
import { startTelegramTestApi } from './telegram-test-api.ts';
import { startTelemelya } from './telemelya.ts';
import { type Report, botsOf, tryOut } from './try-out.ts';

/** `npm run compatibility`: sends to Bot API servers that others wrote, and writes `docs/compatibility.md`. */

const note = (line: string): void => void process.stderr.write(`compatibility: ${line}\n`);

async function run(): Promise<readonly Report[]> {
  const servers: ForeignServer[] = [];
  try {
    for (const start of [startTelegramTestApi, startTelemelya]) {
      const server = await start();
      servers.push(server);
      note(`${server.name} ${server.version} at ${server.apiRoot}`);
    }
    const bots = servers.flatMap((server) => Object.values(botsOf(server)));
    const stage = await openStage(Object.fromEntries(bots.map((bot) => [bot.name, bot])));
    try {
      const reports = Promise.all(servers.map((server) => tryOut(server, stage.replies)));
      return await Promise.race([reports, stage.failure]);
    } finally {
      await stage.close();
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

// An exit in order ends all that was started, and takes the folders along.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
const startedMs = performance.now();
try {
  const reports = await run();
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  const text = documentOf(reports, { date: new Date().toISOString().slice(0, 10), seconds });
  await writeFile(join(packageRoot(), 'docs', 'compatibility.md'), text);
  note('written to docs/compatibility.md');
  const problems = reports.flatMap((report) => report.problems);
  for (const { server, outcomes } of reports) note(`${server.name}: ${outcomes.length} cases`);
  for (const problem of problems) note(`NOT MET: ${problem}`);
  if (problems.length === 0) note('every expectation is met');
  // Left to itself, Node at times goes on for ever at its end, looking for handles to close.
  process.exit(problems.length === 0 ? 0 : 1);
} catch (error) {
  note(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
