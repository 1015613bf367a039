import type { Command } from 'commander';
import { viewLinks } from '../../client/view-links.ts';
import { type ExitCode, UsageError, exitCode } from '../exit-code.ts';
import type { Cli } from '../session.ts';

interface LinksOptions {
  readonly ui: string;
}

export function addLinks(program: Command, cli: Cli, end: (code: ExitCode) => void): void {
  program
    .command('links')
    .description('links to the views of the Temporal Web UI that an operator looks at')
    .option('--ui <url>', 'address of the Web UI', cli.env['TEMPORAL_UI'] || 'http://127.0.0.1:8233')
    .action((options: LinksOptions) => end(links(cli, options)));
}

function links({ env, output }: Cli, { ui }: LinksOptions): ExitCode {
  if (!/^https?:\/\/[^\s]+$/.test(ui) || !URL.canParse(ui))
    throw new UsageError('--ui: must be the address of the Web UI, such as http://127.0.0.1:8233');
  for (const link of viewLinks(ui, env['TEMPORAL_NAMESPACE'] || 'default', Date.now()))
    output.answer(link, () => `${link.name}\n  ${link.url}`);
  return exitCode.done;
}
