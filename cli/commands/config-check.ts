import type { Command } from 'commander';
import { readPayloadKeys } from '../../config/encryption.ts';
import { loadConfig } from '../../config/load.ts';
import { TokenReader } from '../../config/secrets.ts';
import { sharedTokenWarnings } from '../../config/shared-tokens.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { columns } from '../output.ts';
import type { Cli } from '../session.ts';

export function addConfig(program: Command, cli: Cli, end: (code: ExitCode) => void): void {
  program
    .command('config')
    .description('the configuration')
    .command('check')
    .description('read it and tell all problems at once; a token that is not here is a warning')
    .action(() => end(check(cli)));
}

function check({ env, output }: Cli): ExitCode {
  const config = loadConfig(undefined, env);
  readPayloadKeys(config.encryption, env);
  const tokens = new TokenReader({ env });
  const bots = [...config.bots.values()].map((bot) => {
    const reading = tokens.read(bot);
    if (reading.kind === 'missing')
      output.note(`warning: no worker here can send for ${bot.name}: ${reading.why}`);
    return { name: bot.name, contract: bot.contract, apiRoot: bot.apiRoot, token: reading.kind === 'token' };
  });
  const shared = sharedTokenWarnings(config.bots.values(), (bot) => tokens.read(bot));
  const warnings = [...config.warnings, ...shared];
  for (const warning of warnings) output.note(`warning: ${warning}`);
  output.answer({ path: config.path, bots, warnings }, () =>
    [
      `${config.path} is right`,
      columns(
        ['BOT', 'CONTRACT', 'API ROOT', 'TOKEN'],
        bots.map(({ name, contract, apiRoot, token }) => [
          name,
          contract,
          apiRoot,
          token ? 'here' : 'missing',
        ]),
      ),
    ].join('\n'),
  );
  return exitCode.done;
}
