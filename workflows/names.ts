/** Names that stand in histories and visibility: no imports, so that any part may use them. */
export const taskQueue = 'replylane';
/** The lanes' own queue: a thousand replies that start at once must not keep a lane from answering. */
export const laneTaskQueue = 'replylane-lanes';
export const replyWorkflowType = 'replyWorkflow';
export const cooldownWorkflowType = 'cooldownWorkflow';
export const bulkDecisionWorkflowType = 'bulkDecisionWorkflow';

/** Custom search attributes; values are plain text in the store, so never a chat id or text. */
export const attributeNames = { state: 'ReplyState', bot: 'ReplyBot', since: 'ReplySince' } as const;
export const attributeTypes = {
  [attributeNames.state]: 'Keyword',
  [attributeNames.bot]: 'Keyword',
  [attributeNames.since]: 'Datetime',
} as const;

/** Memo fields of a reply: the content's hash from its start; its record while it is under review. */
export const memoFields = { contentHash: 'contentHash', reply: 'reply' } as const;
