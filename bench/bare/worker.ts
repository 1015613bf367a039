import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { workerOptions } from '../../workers/reply-worker.ts';

/** A worker process for the bare workflow, with the settings of ours. */
Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: ['SIGTERM'] });
const { workflowBundle: _, ...options } = workerOptions();
const worker = await Worker.create({
  ...options,
  connection: await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' }),
  taskQueue: 'bare',
  workflowsPath: fileURLToPath(new URL('./workflow.js', import.meta.url)),
  activities: { noop: async () => {} },
});
process.stderr.write('worker: ready\n');
await worker.run();
process.exit(0);
