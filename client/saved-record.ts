import type { WorkflowExecutionInfo } from '@temporalio/client';
import { replyName } from '../domain/ids.ts';
import type { ReplyRecord, ReplyStateName } from '../domain/record.ts';
import { attributeNames } from '../workflows/names.ts';

/** What the store has of an open reply: its record when it was last put under review, and its state in the list. */
export interface SavedParts {
  readonly bot: string;
  readonly key: string;
  readonly workflowId: string;
  readonly memo: unknown;
  readonly state: ReplyStateName | undefined;
}

const stateNames: Readonly<Record<ReplyStateName, true>> = {
  waiting: true,
  sending: true,
  review: true,
  sent: true,
  rejected: true,
  cancelled: true,
  expired: true,
  not_sent: true,
};

export function isStateName(text: unknown): text is ReplyStateName {
  return typeof text === 'string' && Object.hasOwn(stateNames, text);
}

/** `ReplyState` of a listed or described reply, if its start carried attributes. */
export function stateAttribute(
  found: Pick<WorkflowExecutionInfo, 'typedSearchAttributes'>,
): ReplyStateName | undefined {
  const state = found.typedSearchAttributes.get({ name: attributeNames.state, type: 'KEYWORD' });
  return isStateName(state) ? state : undefined;
}

/** A record as good as the store has it, with nothing in it that may be out of date but the attempts' end. */
export function savedRecord({ bot, key, workflowId, memo, state }: SavedParts): ReplyRecord {
  const saved = isRecord(memo) ? memo : undefined;
  const now = state ?? saved?.state ?? 'waiting';
  return {
    id: replyName({ bot, key }),
    bot,
    key,
    workflowId,
    state: now,
    waiting: null,
    review: now === 'review' ? (saved?.review ?? null) : null,
    rejection: null,
    message: null,
    decision: saved?.decision ?? null,
    lateProof: saved?.lateProof ?? null,
    attempts: saved?.attempts ?? [],
  };
}

function isRecord(memo: unknown): memo is ReplyRecord {
  return (
    typeof memo === 'object' &&
    memo !== null &&
    'state' in memo &&
    isStateName(memo.state) &&
    'attempts' in memo
  );
}
