import { DefaultLogger, Runtime } from '@temporalio/worker';
import { loadConfig } from '../config/load.ts';
import { runReplyWorker } from './reply-worker.ts';

/** A worker process: `node dist/workers/main.js`. Ends by SIGTERM or SIGINT once what is being sent is finished. */
const shutdown = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => shutdown.abort());
Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
try {
  await runReplyWorker({
    config: loadConfig(),
    shutdown: shutdown.signal,
    onReady: () => process.stderr.write('worker: ready\n'),
  });
} catch (error) {
  process.stderr.write(`worker: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
