export { runReplyWorker, type ReplyWorkerOptions } from './reply-worker.ts';
export type { Observation, Observe } from '../activities/observe.ts';
export { auditSinks } from './audit.ts';
export { ensureSearchAttributes } from './search-attributes.ts';
