import {
  type Arrival,
  type Deadline,
  type FakeTelegram,
  type StoredMessage,
  type Windows,
} from '../../test/support/fake-service/index.ts';
import type { ReplyStateName } from '../../domain/record.ts';
import type { PlannedReply } from './plan.ts';

/** What became of a reply by its sender's own account. `given_up`: the naive sender's word for everything but sent. */
export type Ending = ReplyStateName | 'given_up';

/** All that a sender is judged by: what it was to send, what the service saw, and what the sender says became of it. */
export interface Evidence {
  readonly planned: readonly PlannedReply[];
  /** Every request that the service saw from this sender, in their order; instants on the service's clock. */
  readonly arrivals: readonly Arrival[];
  /** Every wait that the service asked this sender for. */
  readonly deadlines: readonly Deadline[];
  /** Every message that the service took from it. */
  readonly stored: readonly StoredMessage[];
  readonly windows: Windows;
  /** By key. */
  readonly endings: ReadonlyMap<string, Ending>;
}

/** The service's record of one bot, copied: what comes later does not change the judgement. */
export function gatherEvidence(
  fake: FakeTelegram,
  bot: string,
  sender: Pick<Evidence, 'planned' | 'windows' | 'endings'>,
): Evidence {
  return {
    ...sender,
    arrivals: fake.arrivals.filter((arrival) => arrival.bot === bot).map((arrival) => ({ ...arrival })),
    deadlines: fake.deadlines.filter((deadline) => deadline.bot === bot),
    stored: fake.stored(bot),
  };
}

/** Which planned reply a request or a message was for. */
export function keyByText(planned: readonly PlannedReply[]): (text: string | null) => string | undefined {
  const keys = new Map(planned.map(({ text, key }) => [text, key]));
  return (text) => (text === null ? undefined : keys.get(text));
}

/** Keys of replies for which a request left and no answer was given: nobody can know from outside what became of them. */
export function uncertainKeys({
  planned,
  arrivals,
}: Pick<Evidence, 'planned' | 'arrivals'>): readonly string[] {
  const keyOf = keyByText(planned);
  const unanswered = arrivals.filter(({ httpStatus }) => httpStatus === null).map(({ text }) => keyOf(text));
  return [...new Set(unanswered.filter((key) => key !== undefined))].toSorted();
}
