import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { namesAt } from '../../config/schema.ts';
import { configurationDocument } from '../../tools/configuration/document.ts';
import { packageRoot } from '../../tools/temporal/package-root.ts';

const reference = configurationDocument();

describe('docs/configuration.md', () => {
  test('is what the schema says: npm run docs:configuration writes it anew', () => {
    expect(readFileSync(join(packageRoot(), 'docs', 'configuration.md'), 'utf8')).toBe(reference);
  });

  test.each([
    [[]],
    [['bots', 'x']],
    [['bots', 'x', 'limits']],
    [['bots', 'x', 'limits', 'bot', 0]],
    [['bots', 'x', 'reviewPolicy']],
  ])('has every setting at %j, with its meaning', (path) => {
    for (const name of namesAt(path))
      expect(reference).toMatch(
        new RegExp(`^\\| \`${name.replace('$', '\\$')}\` \\|.*\\| [A-Z][^|]{10,} \\|$`, 'm'),
      );
  });

  test('has defaults and bounds, also where the schema itself cannot have them', () => {
    expect(reference).toMatch(/^\| `httpTimeoutMs` \| whole number \| `20000` \| `100` – `50000` \|/m);
    expect(reference).toMatch(
      /^\| `connectTimeoutMs` \|.*\| 5000, or `httpTimeoutMs` where that is less \|/m,
    );
    expect(reference).toMatch(/^\| `group` \| list of up to 8 \| 1 in 1000 ms, 20 in 60000 ms \|/m);
    expect(reference).toMatch(/^\| `contract` \| `telegram`, `qivuna`, `unifyport` \| must be given \|/m);
  });
});
