import { setTimeout as pause } from 'node:timers/promises';
import { ReplyClient, type ReplyRecord } from '../../client/index.ts';
import { type Finding, checkRules } from './checks.ts';
import { Course } from './course.ts';
import { type DemoDocument, documentOf, findingLines } from './document.ts';
import { type Ending, gatherEvidence } from './evidence.ts';
import { runNaive } from './naive.ts';
import { decideReviews } from './operator.ts';
import { type PlannedReply, demoBot, planReplies, serviceWindows } from './plan.ts';
import type { Screen } from './screen.ts';
import type { Stage } from './stage.ts';
import { type Kill, checkControl, checkDecided, checkTrouble } from './staged.ts';
import { Watch } from './watch.ts';

/** A lane vouches for what it was asked from a second after its birth on; a real one is older than its first reply. */
const youngLaneMs = 1500;

/** The whole demo on a stage that is open. Resolves with what it found; the stage is left as it is then. */
export async function runDemo(
  stage: Stage,
  screen: Screen,
  options: { readonly keep: boolean },
): Promise<DemoDocument> {
  const startedAtMs = performance.now();
  const planned = planReplies();
  const sayAll = (lines: readonly string[]): void => lines.forEach((line) => screen.say(line));

  screen.say(introduction(planned));
  screen.say('\nThe control: a naive sender, with the same replies and the same service');
  const [server, control] = await Promise.all([stage.connect(), runNaive(stage.fake, planned)]);
  sayAll(findingLines(control, 'broken'));

  screen.say(
    `\nTemporal at ${server.address}, its Web UI at ${server.webUi}, the service at ${stage.fake.apiRoot}`,
  );
  const workers = [stage.addWorker(), stage.addWorker()];
  await Promise.all(workers.map(({ ready }) => ready));
  screen.say(`Two workers: processes ${workers.map(({ pid }) => pid).join(' and ')}\n`);
  await pause(youngLaneMs);

  const replies = new ReplyClient(stage.client, { contracts: { [demoBot]: 'telegram' } });
  const kill = await runCourse({ stage, screen, replies, planned });
  const records = await recordsOf(replies, planned);
  const endings = new Map<string, Ending>(records.map(({ key, state }) => [key, state]));
  const evidence = gatherEvidence(stage.fake, demoBot, { planned, windows: serviceWindows, endings });
  const checks: Finding[] = [...checkRules(evidence), checkTrouble(evidence, kill), checkControl(control)];
  screen.say('\nThe checks');
  sayAll(findingLines(checks, 'FAILED'));

  const reviews = records.filter(({ state }) => state === 'review');
  const say = (line: string): void => screen.say(line);
  const decided = await decideReviews(reviews, { stage, planned, server, say, leaveOne: options.keep });
  const byCommand = checkDecided(decided);
  sayAll(['', ...findingLines([byCommand], 'FAILED')]);
  const elapsedMs = performance.now() - startedAtMs;
  return documentOf({ elapsedMs, server, endings, checks: [...checks, byCommand], control, decided });
}

function introduction(planned: readonly PlannedReply[]): string {
  const [bot, chat, group] = [serviceWindows.bot[0], serviceWindows.chat[0], serviceWindows.group[0]];
  return (
    `${planned.length} replies to ${new Set(planned.map(({ chat: id }) => id)).size} chats. The service takes ` +
    `${bot.limit} requests a second, ${chat.limit} a second in a chat, ${group.limit} in ${group.perMs / 1000} s in a group.`
  );
}

async function runCourse(parts: {
  readonly stage: Stage;
  readonly screen: Screen;
  readonly replies: ReplyClient;
  readonly planned: readonly PlannedReply[];
}): Promise<Kill | null> {
  const { stage, screen, replies, planned } = parts;
  const watch = new Watch({ client: stage.client, replies, fake: stage.fake });
  const course = new Course({
    stage,
    replies,
    planned,
    say: (line) => screen.say(line, watch.glance().elapsedMs),
    isSettled: () => watch.isSettled(planned.length),
  });
  screen.follow(() => watch.glance(), planned.length);
  try {
    return await Promise.race([course.run(), stage.failure]);
  } finally {
    watch.stop();
    screen.freeze();
  }
}

/** The replies by their own account. One that cannot be read is left out, and counts as lost. */
async function recordsOf(
  replies: ReplyClient,
  planned: readonly PlannedReply[],
): Promise<readonly ReplyRecord[]> {
  const read = planned.map(({ key }) => replies.status({ bot: demoBot, key }));
  const settled = await Promise.allSettled(read);
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
