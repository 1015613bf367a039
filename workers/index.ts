export { runReplyWorker, type ReplyWorkerOptions } from './reply-worker.ts';
export { ensureSearchAttributes } from './search-attributes.ts';
