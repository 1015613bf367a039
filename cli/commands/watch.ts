import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { readPayloadKeys } from '../../config/encryption.ts';
import type { Config } from '../../config/load.ts';
import { botNameProblem } from '../../domain/ids.ts';
import { readWhole } from '../duration.ts';
import { type ExitCode, UsageError, exitCode } from '../exit-code.ts';
import type { Output } from '../output.ts';
import { type Cli, configForShow } from '../session.ts';
import { type Glance, glanceLine, glanceScreen } from '../watch/glance.ts';
import { shown } from '../reply-text.ts';
import { LiveScreen } from '../watch/screen.ts';
import { stopSignal } from '../worker-run.ts';

interface WatchOptions {
  readonly intervalSeconds: number;
  readonly once?: true;
}

export function addWatch(program: Command, cli: Cli, end: (code: ExitCode) => void): void {
  program
    .command('watch')
    .description('the lanes, live, until Ctrl-C: waiting, rate, cooldown, unknown')
    .argument('[bots...]', 'these only; else those of the configuration; else every lane that runs')
    .option('--interval-seconds <count>', 'time between two looks', readWhole(1, 3600), 2)
    .option('--once', 'show one look and end: the second, since a rate is told from two')
    .action(async (bots: readonly string[], options: WatchOptions) => end(await watch(cli, bots, options)));
}

async function watch(cli: Cli, named: readonly string[], options: WatchOptions): Promise<ExitCode> {
  const { intervalSeconds, once } = options;
  const config = configForShow(cli);
  const bots = botsOf(config, named);
  const stop = stopSignal();
  const stopped = new Promise<undefined>((resolve) =>
    stop.addEventListener('abort', () => resolve(undefined)),
  );
  const { Lookout } = await import('../watch/lookout.ts');
  const lanes = new Lookout({
    env: cli.env,
    bots,
    payloadKeys: readPayloadKeys(config?.encryption, cli.env),
  });
  const show = once || cli.output.json || !process.stdout.isTTY ? printer(cli.output) : picture(options);
  try {
    for (let looks = 1; !stop.aborted; looks++) {
      const glances = await Promise.race([lanes.look(), stopped]);
      if (glances === undefined) break;
      const isUnreachable = glances.some(({ kind }) => kind === 'unreachable');
      const isLast = once && (looks === 2 || isUnreachable);
      if (!once || isLast) show(glances);
      if (isLast) return isUnreachable ? exitCode.unreachable : exitCode.done;
      await pause(intervalSeconds * 1000, undefined, { signal: stop }).catch(() => {});
    }
    return exitCode.done;
  } finally {
    await lanes.close();
  }
}

function botsOf(config: Config | undefined, named: readonly string[]): readonly string[] | undefined {
  for (const bot of named) {
    const problem = botNameProblem(bot);
    if (problem !== undefined) throw new UsageError(`bot "${shown(bot)}": ${problem}`);
  }
  if (named.length > 0) return [...new Set(named)];
  return config && [...config.bots.keys()];
}

type Show = (glances: readonly Glance[]) => void;

function printer(output: Output): Show {
  let wasEmpty = false;
  return (glances) => {
    for (const glance of glances) output.answer(glance, () => glanceLine(glance));
    if (glances.length === 0 && !wasEmpty) output.note(noLanes);
    wasEmpty = glances.length === 0;
  };
}

function picture({ intervalSeconds }: WatchOptions): Show {
  const screen = new LiveScreen(process.stdout);
  return (glances) => {
    const time = new Date().toISOString().slice(0, 19).replace('T', ' ');
    const heading = `replylane watch  ${time} UTC, every ${intervalSeconds} s; Ctrl-C ends it\n`;
    screen.draw(glanceScreen(glances, glances.length === 0 ? `${heading}\n${noLanes}` : heading));
  };
}

const noLanes = 'there is no lane yet: one begins when a worker with a bot starts';
