import type { ReplyClient, ReplyRecord } from '../../client/index.ts';
import type { Content } from '../../contracts/contract.ts';
import { firstKey } from './cases.ts';
import type { Case, ForeignServer } from './foreign-server.ts';
import { type Outcome, isInOrder, problemsOf, strayCalls, timesReceived } from './judge.ts';
import type { StageBot } from './stage.ts';

const settledWithinMs = 60_000;

/** What a foreign server was sent, has received and has answered. */
export interface Report {
  readonly server: ForeignServer;
  readonly outcomes: readonly Outcome[];
  /** Expectations that were not met; empty where all were. */
  readonly problems: readonly string[];
}

/** The bots of one server: the one that most is sent as, and one with another token. */
export function botsOf({
  name,
  apiRoot,
}: ForeignServer): Readonly<Record<'usual' | 'stranger', StageBot & Named>> {
  const bot = (name: string, token: string): StageBot & Named => ({ name, apiRoot, token });
  return {
    usual: bot(name, '100001:TEST-TOKEN-of-the-usual-one-abcdefgh'),
    stranger: bot(`${name}-stranger`, '100002:TEST-TOKEN-of-the-stranger-abcdefghi'),
  };
}

export interface Named {
  readonly name: string;
}

/** Hands all cases over, waits for what becomes of them, asks the server what it has, and decides what is unknown. */
export async function tryOut(server: ForeignServer, replies: ReplyClient): Promise<Report> {
  const bots = botsOf(server);
  const tokens = Object.values(bots).map(({ token }) => token);
  const problems: string[] = [];
  const outcomes: Outcome[] = [];

  const round = async (cases: readonly (readonly [Case, Content])[]): Promise<void> => {
    const sent = await Promise.all(
      cases.map(async ([of, content]) => {
        const bot = of.isStranger ? bots.stranger : bots.usual;
        const request = { bot: bot.name, content };
        const handle = await replies.send(request, { key: of.key });
        const again = await replies.send(request, { key: of.key });
        if (handle.deduplicated || !again.deduplicated) problems.push(`${of.key}: was not handed over once`);
        return { of, content, bot, settled: await handle.result({ timeoutMs: settledWithinMs }) };
      }),
    );
    const received = await server.received(tokens);
    for (const { of, content, bot, settled } of sent) {
      const final = await decided(replies, of, settled);
      const times = timesReceived(received, content, bot.token);
      outcomes.push({ of, content, token: bot.token, settled, final, times });
    }
    if (strayCalls(received, outcomes) > 0) problems.push('the server has calls that nobody made');
    if (!isInOrder(received, sent)) problems.push('messages to one chat came in another order');
  };

  const { cases } = server;
  await round(cases.flatMap((of) => (typeof of.content === 'function' ? [] : [[of, of.content] as const])));
  const id = outcomes.find(({ of }) => of.key === firstKey)?.final.message?.message_id;
  if (typeof id !== 'number') problems.push('the first message has no id');
  else
    await round(
      cases.flatMap((of) => (typeof of.content === 'function' ? [[of, of.content(id)] as const] : [])),
    );

  problems.push(...outcomes.flatMap(problemsOf));
  const record = (key: string): ReplyRecord => {
    const outcome = outcomes.find(({ of }) => of.key === key);
    if (outcome === undefined) throw new Error(`${server.name} has no case ${key}.`);
    return outcome.settled;
  };
  for (const { words, holds } of server.differences)
    if (!holds(record)) problems.push(`no longer so: ${words}`);
  return { server, outcomes, problems: problems.map((problem) => `${server.name}: ${problem}`) };
}

/** What nobody can know is decided by who has looked; all else stays as it is. */
async function decided(replies: ReplyClient, { expected }: Case, settled: ReplyRecord): Promise<ReplyRecord> {
  if (settled.review === null || expected.state !== 'review') return settled;
  const { bot, key, review } = settled;
  const { decision } = expected;
  await replies.decide(
    { bot, key },
    { attempt: review.attempt, decision, by: 'compatibility', reason: 'looked' },
  );
  return replies.status({ bot, key });
}
