import { type FakeTelegram, step } from '../../test/support/fake-service/index.ts';
import { type NaiveOptions, sendNaively } from '../../test/support/naive-sender.ts';
import { type Finding, checkRules } from './checks.ts';
import { tokens } from './demo-config.ts';
import { type Ending, gatherEvidence } from './evidence.ts';
import { type PlannedReply, naiveBot, serviceWindows, waits } from './plan.ts';

/**
 * The control: the same replies, service and limits for a sender as most bots have one. The answer to its first reply is
 * lost, and the service asks for a wait once; all else it brings about itself. Its findings show that the checks can fail.
 */
export async function runNaive(
  fake: FakeTelegram,
  planned: readonly PlannedReply[],
): Promise<readonly Finding[]> {
  const options: NaiveOptions = {
    apiRoot: fake.apiRoot,
    token: tokens[naiveBot],
    concurrency: 8,
    afterFlood: { retryAfterMs: 100 },
    afterNoAnswer: 'resend',
    // Longer than the chat's window, so that the service takes the second one too.
    timeoutMs: serviceWindows.chat[0].perMs + 100,
    maxRequestsPerReply: 3,
  };
  fake.script(naiveBot, {}, step.silence({ store: true }));
  const first = await sendNaively(planned.slice(0, 1), options);
  fake.script(naiveBot, { after: 3 }, step.flood(waits.shortSeconds));
  const results = [...first, ...(await sendNaively(planned.slice(1), options))];
  const endings = new Map<string, Ending>(
    planned.map(({ key }, index) => [key, results[index]?.sent === true ? 'sent' : 'given_up']),
  );
  return checkRules(gatherEvidence(fake, naiveBot, { planned, windows: serviceWindows, endings }));
}
