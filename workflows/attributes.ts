import { upsertMemo, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { ReplyRecord } from '../domain/record.ts';
import { attributeNames, memoFields } from './names.ts';

/**
 * Keeps what the list of workflows shows of a reply: `ReplyState` and `ReplySince`. Setting an attribute that the
 * namespace does not know would wedge the workflow's tasks for ever, so it is done only where the start carried them, or
 * a worker said in an activity's result that they exist.
 */
export class AttributeKeeper {
  private allowed = workflowInfo().searchAttributes[attributeNames.state] !== undefined;
  private shown: string | undefined = this.allowed ? 'waiting' : undefined;
  private reviewed: string | undefined;

  allow(known: boolean): void {
    this.allowed ||= known;
  }

  /** To be called after each change; writes only what the list would show otherwise. */
  note(record: ReplyRecord): void {
    // The list would hardly show the second that a request takes: `sending` counts as `waiting` there.
    const state = record.state === 'sending' ? 'waiting' : record.state;
    if (this.allowed && state !== this.shown) {
      this.shown = state;
      upsertSearchAttributes({
        [attributeNames.state]: [state],
        [attributeNames.bot]: [record.bot],
        [attributeNames.since]: [new Date(Date.now())],
      });
    }
    // Evidence must be readable with no worker up: the Query needs one, the memo does not.
    const { review: open, lateProof } = record;
    const review = open && [open.kind, open.attempt, open.since, lateProof?.at].filter(Boolean).join(' ');
    if (review && review !== this.reviewed) {
      this.reviewed = review;
      upsertMemo({ [memoFields.reply]: record });
    } else if (!review && this.reviewed !== undefined) {
      this.reviewed = undefined;
      upsertMemo({ [memoFields.reply]: record });
    }
  }
}
