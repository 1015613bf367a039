import { botNameProblem, keyProblem, updateWorkflowId } from '../../domain/ids.ts';
import { ReplyInputError } from '../errors.ts';
import { type Beginning, type Begun, begin } from './begin.ts';
import type { BodyLimits } from './body.ts';
import { IntakeCounter, type IntakeCounts } from './counts.ts';
import { type DeliveryEnd, answerTo } from './ends.ts';

/** Takes one delivery of a service's webhook, and answers it: mounts wherever there are Fetch-API requests. */
export interface Intake {
  (request: Request): Promise<Response>;
  readonly counts: IntakeCounts;
}

/** Something that a person should know about a delivery. */
export interface IntakeProblem {
  readonly kind: DeliveryEnd;
  /** The update's key, where it got as far as having one. */
  readonly key: string | null;
  /** Fit for a log: nothing of the update's content, no secret. */
  readonly problem: string;
  /** What was thrown. Of the app's own code it may hold anything. */
  readonly error?: unknown;
}

export type IntakeOptions<Update> = Beginning<Update> & {
  /** The configured name of the bot whose webhook it is: ids of updates are unique per bot only. */
  readonly bot: string;
  /** Told of what was dropped or could not be started; the counts tell how often. */
  readonly onProblem?: (problem: IntakeProblem) => void;
  /** What is not started within this time is answered 503, to be delivered again. 10 s by default. */
  readonly startTimeoutMs?: number;
  /** A larger body is answered 413. 1 MiB by default. */
  readonly maxBodyBytes?: number;
};

/** What the checks of a service came to. */
export type Admission<Update> =
  | { readonly kind: 'update'; readonly update: Update; readonly id: string }
  | { readonly kind: 'malformed' | 'other_account' | 'unavailable'; readonly problem: string }
  | { readonly kind: 'ignored' | 'unauthorized' | 'too_large' | 'unread' };

/** Proves where a request comes from, and reads it. Nothing unproven gets further. */
export type Admit<Update> = (request: Request, limits: BodyLimits) => Promise<Admission<Update>>;

const defaultStartTimeoutMs = 10_000;
const defaultMaxBodyBytes = 1024 * 1024;

/**
 * The course of all services: let in, have the app begin something durably, and only then acknowledge. Throws a
 * `ReplyInputError` for what cannot be a bot's name.
 */
export function createIntake<Update>(options: IntakeOptions<Update>, admit: Admit<Update>): Intake {
  const { bot, onProblem, startTimeoutMs = defaultStartTimeoutMs } = options;
  const { maxBodyBytes = defaultMaxBodyBytes } = options;
  const botProblem = botNameProblem(bot);
  if (botProblem !== undefined)
    throw new ReplyInputError('The webhook cannot be taken', [{ field: 'bot', problem: botProblem }]);
  const counter = new IntakeCounter();
  const limits: BodyLimits = { maxBytes: maxBodyBytes, timeoutMs: startTimeoutMs };
  const late: Begun = { end: 'unavailable', problem: `nothing was started within ${startTimeoutMs} ms` };

  const answered = ({ end, ...what }: Begun, key: string | null): Response => {
    counter.note(end);
    if (what.problem !== undefined)
      tell(onProblem, { kind: end, key, problem: what.problem, ...errorOf(what) });
    return answerTo(end);
  };

  const intake = async (request: Request): Promise<Response> => {
    if (request.method !== 'POST') return answered({ end: 'wrong_method' }, null);
    let admission: Admission<Update>;
    try {
      admission = await admit(request, limits);
    } catch (error) {
      const problem = 'the delivery could not be read: see the error';
      return answered({ end: 'failed', problem, error }, null);
    }
    if (admission.kind !== 'update') return answered(withoutUpdate(admission), null);
    const { update, id } = admission;
    const key = `upd-${id}-reply`;
    if (keyProblem(key) !== undefined)
      return answered(
        { end: 'malformed', problem: 'the id of the update is no text that can name a reply' },
        null,
      );
    const name = { id, key, workflowId: updateWorkflowId({ bot, id }) };
    return answered(await within(startTimeoutMs, begin(bot, options, update, name), late), key);
  };
  return Object.assign(intake, { counts: counter.counts });
}

function withoutUpdate(admission: Exclude<Admission<unknown>, { kind: 'update' }>): Begun {
  return 'problem' in admission
    ? { end: admission.kind, problem: admission.problem }
    : { end: admission.kind };
}

/** The work is not broken off when its time is up: what it starts later, the next delivery finds. */
async function within(ms: number, work: Promise<Begun>, late: Begun): Promise<Begun> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Begun>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function tell(onProblem: ((problem: IntakeProblem) => void) | undefined, problem: IntakeProblem): void {
  try {
    onProblem?.(problem);
  } catch {
    // A log that fails must not turn what was started into something to be delivered again.
  }
}

function errorOf({ error }: { readonly error?: unknown }): { readonly error?: unknown } {
  return error === undefined ? {} : { error };
}
