import { loadConfig } from '../config/load.ts';
import { openLog } from './log/worker-log.ts';
import { runWorkerProcess } from './process.ts';
import { workerSettings } from './settings.ts';

/** A worker process: `node dist/workers/main.js`. Ends by SIGTERM or SIGINT once what is being sent is finished. */
const shutdown = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => shutdown.abort());
let log = await openLog('text');
try {
  const settings = workerSettings(process.env);
  log = await openLog(settings.log);
  await runWorkerProcess({
    config: loadConfig(),
    env: process.env,
    settings,
    log,
    shutdown: shutdown.signal,
    onReady: () => log.line('worker: ready'),
  });
} catch (error) {
  log.line(`worker: ${error instanceof Error ? error.message : String(error)}`, 'error');
  process.exitCode = 1;
} finally {
  log.flush();
}
