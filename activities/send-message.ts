import { Context } from '@temporalio/activity';
import type { BotConfig } from '../config/bot-config.ts';
import { contractOf } from '../contracts/index.ts';
import type { SendFinding, SendInput, SendResult } from '../domain/send.ts';
import { budgetsOf } from './budgets.ts';
import { findRestart } from './restart.ts';
import type { SendDeps } from './send-deps.ts';
import { SendRun, backOff } from './send-run.ts';

/** Each one is a write of the server: most runs end before the first. */
const heartbeatEveryMs = 2000;

/** One activity run: claims until `go` or a long wait, then at most one request, classified and reported. */
export async function sendMessage(deps: SendDeps, input: SendInput): Promise<SendResult> {
  const context = Context.current();
  const heartbeat = setInterval(() => context.heartbeat(), heartbeatEveryMs);
  try {
    if (isReset(input, context)) return { kind: 'reset', attributes: deps.attributes };
    const restart = await findRestart(deps, input, context);
    if (restart) return { ...restart, attributes: deps.attributes };
    const bot = deps.bots.get(input.bot);
    const finding = bot
      ? await sendFor(deps, bot, input, context)
      : ({
          kind: 'no_token',
          why: `this worker does not know the bot ${input.bot}: add it to its configuration, as to that of each worker of the namespace`,
        } as const);
    if (finding.kind === 'no_token' && input.run === 1) deps.log(`a reply waits: ${finding.why}`);
    const budgets = bot && budgetsOf(bot);
    return { ...finding, attributes: deps.attributes, ...(budgets ? { budgets } : {}) };
  } finally {
    clearInterval(heartbeat);
  }
}

/**
 * A reset gives a workflow a new run with a part of the old one's history. It is told here and not in the workflow, whose
 * replay must still do what the old run did; an activity that starts now belongs to the new run for sure.
 */
function isReset(input: SendInput, context: Context): boolean {
  return context.info.workflowExecution?.runId !== input.firstRunId;
}

async function sendFor(
  deps: SendDeps,
  bot: BotConfig,
  input: SendInput,
  context: Context,
): Promise<SendFinding> {
  const reading = deps.token(bot);
  if (reading.kind === 'missing')
    return { kind: 'no_token', why: `no token for the bot ${bot.name}: ${reading.why}` };
  const contract = contractOf(bot.contract);
  if (!contract) return { kind: 'no_token', why: `this worker does not know the contract ${bot.contract}` };
  const problems = contract.check(input.content);
  if (problems.length > 0) {
    return {
      kind: 'bad_content',
      problem: problems.map(({ field, problem }) => `${field}: ${problem}`).join('; '),
    };
  }
  const room = deps.roomOf(bot.name);
  if (!room.enter()) return backOff(input, room.returnInMs(performance.now()), 'bot_pace');
  try {
    return await new SendRun(deps, bot, input, context, contract, reading.token).run(room);
  } finally {
    room.leave();
  }
}
