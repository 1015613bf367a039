import type { Command } from 'commander';
import type { LaneClient, LaneView, WakeOptions, Who } from '../../client/index.ts';
import { readWhole } from '../duration.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { shown } from '../reply-text.ts';
import { type Cli, configForShow, withReplies } from '../session.ts';

type Act = (lane: LaneClient, who: Who, options: WakeOptions) => Promise<LaneView>;

const acts: Readonly<Record<string, { readonly words: string; readonly act: Act }>> = {
  pause: { words: 'nothing is sent until it is resumed', act: (lane, who) => lane.pause(who) },
  resume: {
    words: 'ends a pause, or a stop that the lane made itself',
    act: (lane, who, options) => lane.resume(who, options),
  },
  override: {
    words: 'opens the lane before its cooldown ends: the service may refuse for longer then',
    act: (lane, who, options) => lane.override(who, options),
  },
};

export function addLane(program: Command, cli: Cli, end: (code: ExitCode) => void): void {
  const lane = program.command('lane').description("a bot's cooldown, pacing and stops");
  lane
    .command('show')
    .description('how the lane is now')
    .argument('<bot>')
    .action(async (bot: string) => end(await onLane(cli, bot, (client) => client.show())));
  for (const [name, { words, act }] of Object.entries(acts)) {
    withWho(lane.command(name).description(words).argument('<bot>')).action(async (bot: string, who: Who) => {
      let woken = 0;
      end(await onLane(cli, bot, (client) => act(client, who, { onWoken: (count) => (woken = count) })));
      if (woken > 0) cli.output.note(`${woken} open replies were told to ask again`);
    });
  }
  withWho(
    lane
      .command('extend')
      .description('keep the lane closed for at least so long from now')
      .argument('<bot>')
      .requiredOption('--seconds <count>', 'how long', readWhole(1)),
  ).action(async (bot: string, request: Who & { readonly seconds: number }) =>
    end(await extend(cli, bot, request)),
  );
}

function withWho(command: Command): Command {
  return command.requiredOption('--by <who>', 'who does this').requiredOption('--reason <why>', 'why');
}

async function onLane(
  cli: Cli,
  bot: string,
  work: (lane: LaneClient) => Promise<LaneView>,
): Promise<ExitCode> {
  return withReplies(cli, configForShow(cli), async (replies) => {
    const view = await work(replies.lane(bot));
    cli.output.answer(view, () => laneText(view));
    return exitCode.done;
  });
}

async function extend(cli: Cli, bot: string, request: Who & { readonly seconds: number }): Promise<ExitCode> {
  return withReplies(cli, configForShow(cli), async (replies) => {
    const result = await replies.lane(bot).extend(request);
    if (result.kind === 'requested')
      cli.output.note('no worker has answered: it is saved, and counts once one is up');
    cli.output.answer(result.kind === 'extended' ? result.lane : { bot, kind: result.kind }, () =>
      result.kind === 'extended' ? laneText(result.lane) : `${bot}  requested`,
    );
    return exitCode.done;
  });
}

/** Whatever keeps the lane from sending, the longest-lasting first. */
function laneState({ stopped, paused, notBefore, reason }: LaneView): string {
  const states = [
    ...(stopped ? ['stopped'] : []),
    ...(paused ? ['paused'] : []),
    ...(notBefore === null ? [] : [`closed until ${notBefore} (${shown(reason ?? '')})`]),
  ];
  return states.length === 0 ? 'open' : states.join(', ');
}

function laneText(view: LaneView): string {
  const { bot, stopped, paused, waiting, outstanding, sent, floods, lastFlood } = view;
  const lines = [
    `${bot}  ${laneState(view)}`,
    `  waiting ${waiting}, outstanding ${outstanding}, sent ${sent}, floods ${floods}`,
  ];
  if (stopped) lines.push(`  stopped since ${stopped.since}: ${shown(stopped.why)}`);
  if (paused) lines.push(`  paused since ${paused.since} by ${shown(paused.by)}: ${shown(paused.reason)}`);
  if (lastFlood) {
    const { at, retryAfterSeconds, sentLastSecond, sentLastMinute } = lastFlood;
    const delay = retryAfterSeconds === null ? 'no delay named' : `${retryAfterSeconds} s`;
    lines.push(
      `  last flood at ${at}: ${delay}, after ${sentLastSecond} in a second, ${sentLastMinute} in a minute`,
    );
  }
  for (const { at, reply, attempt, outcome } of view.lateProofs ?? [])
    lines.push(`  ${at} late proof: ${shown(reply)}, attempt ${attempt}: ${outcome}`);
  for (const { at, what, by, reason: why } of view.acts)
    lines.push(`  ${at} ${what} by ${shown(by)}: ${shown(why)}`);
  return lines.join('\n');
}
