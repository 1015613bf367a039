import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { ReplyConflictError, ReplyInputError, TemporalUnreachableError } from '../errors.ts';
import type { ReplyRequest } from '../reply-draft.ts';
import type { DeliveryEnd } from './ends.ts';

/** The names of an update: the service's own, and the key under which it starts something. */
export interface UpdateName {
  /** Unique per bot, and the same in every delivery of the update. */
  readonly id: string;
  /** `upd-<id>-reply`: a second delivery cannot make a second reply under it (invariant 1). Unique per bot, as keys are. */
  readonly key: string;
  /** `update:<bot>:<id>`: the same, and unique over all bots, for a workflow of the app's own. */
  readonly workflowId: string;
}

/** What the intake needs of a `ReplyClient`. */
export interface ReplySender {
  send(request: ReplyRequest, name: { readonly key: string }): Promise<{ readonly deduplicated: boolean }>;
}

/** What an app makes of an update: a reply, or a workflow of its own. Neither waits for anything to be sent. */
export type Beginning<Update> =
  | {
      readonly replies: ReplySender;
      /**
       * The reply to an update, or null where there is nothing to say. The service waits meanwhile, so that long work
       * belongs into a workflow of the app's own (`start`). It starts under `name.key`; one of another bot than that of the
       * webhook under `name.workflowId`, since an update of that bot may have the same id.
       */
      readonly respond: (
        update: Update,
        name: UpdateName,
      ) => ReplyRequest | null | Promise<ReplyRequest | null>;
      readonly start?: undefined;
    }
  | {
      /**
       * Starts something durably, and resolves once it is. Use `name.workflowId`, with the reuse policy
       * `REJECT_DUPLICATE`: Temporal's own "already started" counts as a duplicate. `name.key` is no Workflow Id, since
       * updates of two bots may have one id.
       */
      readonly start: (update: Update, name: UpdateName) => Promise<void>;
      readonly replies?: undefined;
      readonly respond?: undefined;
    };

/** What became of an update that was let in. */
export interface Begun {
  readonly end: DeliveryEnd;
  /** Fit for a log: nothing of the update's content, no secret. */
  readonly problem?: string;
  /** What was thrown. Of the app's own code it may hold anything. */
  readonly error?: unknown;
}

/** Has the app begin what an update of `bot` asks for. Never rejects: it may go on after the time for it is up. */
export async function begin<Update>(
  bot: string,
  beginning: Beginning<Update>,
  update: Update,
  name: UpdateName,
): Promise<Begun> {
  if (beginning.start) return started(() => beginning.start(update, name));
  let request: ReplyRequest | null | undefined;
  try {
    request = await beginning.respond(update, name);
  } catch (error) {
    return begunOf(error, 'failed');
  }
  // Undefined is what a responder in plain JavaScript gives that says nothing.
  if (request === null || request === undefined) return { end: 'ignored' };
  try {
    // Keys are unique per bot (invariant 1), and so are the ids of updates: of another bot.
    const key = request.bot === bot ? name.key : name.workflowId;
    const { deduplicated } = await beginning.replies.send(request, { key });
    return { end: deduplicated ? 'duplicate' : 'accepted' };
  } catch (error) {
    return begunOf(error, 'unavailable');
  }
}

async function started(start: () => Promise<void>): Promise<Begun> {
  try {
    await start();
    return { end: 'accepted' };
  } catch (error) {
    return begunOf(error, isMistake(error) ? 'failed' : 'unavailable');
  }
}

/** Errors by which JavaScript tells a mistake in a program, and never that something is down. */
function isMistake(error: unknown): boolean {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
}

function begunOf(error: unknown, otherwise: 'failed' | 'unavailable'): Begun {
  if (error instanceof WorkflowExecutionAlreadyStartedError) return { end: 'duplicate' };
  if (error instanceof ReplyConflictError) return { end: 'conflict', problem: error.message, error };
  if (error instanceof ReplyInputError) return { end: 'invalid', problem: error.message, error };
  if (error instanceof TemporalUnreachableError) return { end: 'unavailable', problem: error.message, error };
  const name = error instanceof Error ? error.name : 'something that is no Error';
  return { end: otherwise, problem: `${name} was thrown`, error };
}
