import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../tools/temporal/package-root.ts';
import { Metrics } from '../../workers/metrics/metrics.ts';
import { runCli } from '../cli/run-cli.ts';
import { alertRules } from '../workers/deploy-files.ts';

const docs = join(packageRoot(), 'docs');
const operating = read('operating.md');

function read(name: string): string {
  return readFileSync(join(docs, name), 'utf8');
}

function section(title: string): string {
  const from = operating.indexOf(`\n### ${title}\n`);
  return from < 0 ? '' : (operating.slice(from + 1).split(/\n##+ /)[0] ?? '');
}

describe('the operating guide', () => {
  it.each(alertRules().map(({ where, command = '' }) => [where.replace('alert ', ''), command]))(
    'has a section for the alert %s, with the commands that it names',
    (alert, command) => {
      const commands = command
        .replaceAll('{{ $labels.bot }}', 'support')
        .split(/,? and |, /)
        .flatMap((part) => /npx replylane .*?(?=$| --by WHO)/.exec(part) ?? []);
      expect(commands).not.toEqual([]);
      for (const one of commands) expect(section(alert)).toContain(one);
    },
  );

  it('has no section for an alert that there is not', () => {
    const alerts = alertRules().map(({ where }) => where.replace('alert ', ''));
    const sections = [...operating.matchAll(/^### (\w+)$/gm)].map(([, title]) => title);
    expect(sections).toEqual(alerts);
  });

  it('has every metric of ours with its labels, and no other', async () => {
    const bots = [{ name: 'support', contract: 'telegram' }];
    const metrics = new Metrics({ bots, sdkUrl: null, isReady: () => true });
    const scraped = await metrics.scrape();
    const names = [...scraped.matchAll(/^# TYPE (replylane_\w+)/gm)].map(([, name]) => name);
    const rows = operating.split('\n').filter((line) => line.startsWith('| `replylane_'));
    const told = rows.flatMap((row) => [...row.matchAll(/`(replylane_\w+)`/g)].map(([, name]) => name));
    expect(new Set(told)).toEqual(new Set(names));
  });
});

describe('the commands of the guides', () => {
  const guides = ['operating.md', 'upgrading.md'];
  const commands = [
    ...new Set(
      guides.flatMap((guide) =>
        [...read(guide).matchAll(/npx replylane ((?:"[^"\n]*"|[^`#\n"])*)/g)].map(([, words = '']) =>
          words.trim(),
        ),
      ),
    ),
  ];
  /** The help of each command that is named, by its words. */
  const helps = new Map<string, string>();

  const pathOf = (command: string): readonly string[] => {
    const words = command.split(' ');
    const isGroup = ['lane', 'review', 'config'].includes(words[0] ?? '');
    return words.slice(0, isGroup ? 2 : 1);
  };

  beforeAll(async () => {
    for (const path of new Set(commands.map((command) => pathOf(command).join(' '))))
      helps.set(path, (await runCli([...path.split(' '), '--help'], { env: {} })).stdout);
  }, 240_000);

  it('are many', () => expect(commands.length).toBeGreaterThan(20));

  it.each(commands)('%s is one, with its options', (command) => {
    const help = helps.get(pathOf(command).join(' ')) ?? '';
    expect(help).toContain(`Usage: replylane ${pathOf(command).join(' ')}`);
    for (const [option] of command.replaceAll(/"[^"]*"/g, '').matchAll(/--[a-z-]+/g))
      expect(help).toMatch(new RegExp(`${option}\\b`));
  });
});

describe('links from one document to another', () => {
  const names = readdirSync(docs).filter((name) => name.endsWith('.md'));
  const files = [...names.map((name) => join(docs, name)), join(packageRoot(), 'README.md')];
  const links = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
      ([, to = '']) => [file, to] as const,
    ),
  );

  it.each(links)('%s: %s', (file, to) => expect(existsSync(join(dirname(file), to))).toBe(true));
});
