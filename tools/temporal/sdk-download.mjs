// Has the Temporal SDK fetch one of its servers into a folder: node sdk-download.mjs dev-server|time-skipping FOLDER
// A process of its own, because the SDK's native runtime can be configured only once in a process, and because the
// SDK sets no time limit to its download.
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [kind, downloadDir] = process.argv.slice(2);
const server = { executable: { type: 'cached-download', downloadDir, ttl: '3650d' } };
const environment = await (kind === 'dev-server'
  ? TestWorkflowEnvironment.createLocal({ server })
  : TestWorkflowEnvironment.createTimeSkipping({ server }));
await environment.teardown();
