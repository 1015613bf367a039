import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../tools/temporal/package-root.ts';

interface Case {
  readonly title: string;
  readonly path: string;
  readonly source: string;
  /** The rule that must object; null where none may. */
  readonly rule: string | null;
}

const imports = (specifier: string) => `import { x } from '${specifier}';\nexport const y = x;\n`;
const typeImport = (specifier: string) => `import type { x } from '${specifier}';\nexport type Y = x;\n`;
const IMPORT = 'no-restricted-imports';

const CASES: readonly Case[] = [
  { title: 'domain/ imports itself', path: 'domain/a.ts', source: imports('./b.ts'), rule: null },
  {
    title: 'domain/ imports itself upwards',
    path: 'domain/lane/a.ts',
    source: imports('../b.ts'),
    rule: null,
  },
  {
    title: 'domain/ imports hashes',
    path: 'domain/hash.ts',
    source: imports('@noble/hashes/sha2.js'),
    rule: null,
  },
  { title: 'domain/ imports no Node module', path: 'domain/fs.ts', source: imports('node:fs'), rule: IMPORT },
  { title: 'domain/ imports no other package', path: 'domain/zod.ts', source: imports('zod'), rule: IMPORT },
  {
    title: 'domain/ imports no other curve',
    path: 'domain/noble.ts',
    source: imports('@noble/curves'),
    rule: IMPORT,
  },
  {
    title: 'domain/ imports no contract',
    path: 'domain/c.ts',
    source: imports('../contracts/a.ts'),
    rule: IMPORT,
  },
  {
    title: 'domain/ imports no types either',
    path: 'domain/t.ts',
    source: typeImport('../workflows/a.ts'),
    rule: IMPORT,
  },
  {
    title: 'domain/ re-exports nothing else',
    path: 'domain/lane/r.ts',
    source: "export * from '../../contracts/a.ts';\n",
    rule: IMPORT,
  },
  {
    title: 'contracts/ imports domain/',
    path: 'contracts/a.ts',
    source: imports('../domain/a.ts'),
    rule: null,
  },
  { title: 'contracts/ imports zod', path: 'contracts/z.ts', source: imports('zod'), rule: null },
  {
    title: 'contracts/ imports hashes',
    path: 'contracts/h.ts',
    source: imports('@noble/hashes/sha2.js'),
    rule: null,
  },
  { title: 'contracts/ imports no undici', path: 'contracts/u.ts', source: imports('undici'), rule: IMPORT },
  {
    title: 'contracts/ imports no Node module',
    path: 'contracts/n.ts',
    source: imports('node:http'),
    rule: IMPORT,
  },
  {
    title: 'contracts/ imports no workflow',
    path: 'contracts/w.ts',
    source: imports('../workflows/a.ts'),
    rule: IMPORT,
  },
  {
    title: 'workflows/ imports domain/',
    path: 'workflows/a.ts',
    source: imports('../domain/a.ts'),
    rule: null,
  },
  {
    title: 'workflows/ imports contracts/',
    path: 'workflows/c.ts',
    source: imports('../contracts/a.ts'),
    rule: null,
  },
  {
    title: 'workflows/ imports Temporal',
    path: 'workflows/t.ts',
    source: imports('@temporalio/workflow'),
    rule: null,
  },
  {
    title: 'workflows/ imports the types of activities',
    path: 'workflows/at.ts',
    source: typeImport('../activities/a.ts'),
    rule: null,
  },
  {
    title: 'workflows/ calls no activity directly',
    path: 'workflows/av.ts',
    source: imports('../activities/a.ts'),
    rule: IMPORT,
  },
  {
    title: 'workflows/ imports no client',
    path: 'workflows/cl.ts',
    source: imports('@temporalio/client'),
    rule: IMPORT,
  },
  {
    title: 'workflows/ imports no Node module',
    path: 'workflows/n.ts',
    source: imports('node:crypto'),
    rule: IMPORT,
  },
  {
    title: 'client/ imports workflows/',
    path: 'client/a.ts',
    source: imports('../workflows/a.ts'),
    rule: null,
  },
  {
    title: 'client/ imports the Temporal client',
    path: 'client/t.ts',
    source: imports('@temporalio/client'),
    rule: null,
  },
  {
    title: 'client/ imports no activities',
    path: 'client/ac.ts',
    source: imports('../activities/a.ts'),
    rule: IMPORT,
  },
  {
    title: 'client/ imports no workers',
    path: 'client/wo.ts',
    source: imports('../workers/a.ts'),
    rule: IMPORT,
  },
  { title: 'client/ imports no undici', path: 'client/u.ts', source: imports('undici'), rule: IMPORT },
  {
    title: 'client/ imports no native worker',
    path: 'client/w.ts',
    source: imports('@temporalio/worker'),
    rule: IMPORT,
  },
  {
    title: 'the transport imports undici',
    path: 'activities/transport.ts',
    source: imports('undici'),
    rule: null,
  },
  { title: 'a test imports undici', path: 'test/a.ts', source: imports('undici'), rule: null },
  {
    title: 'no other activity imports undici',
    path: 'activities/u.ts',
    source: imports('undici'),
    rule: IMPORT,
  },
  { title: 'no worker imports undici', path: 'workers/u.ts', source: imports('undici'), rule: IMPORT },
  { title: 'the command line imports no undici', path: 'cli/u.ts', source: imports('undici'), rule: IMPORT },
  {
    title: 'a promise is not left alone',
    path: 'activities/floating.ts',
    source: 'async function send(): Promise<void> {}\nexport function f(): void {\n  send();\n}\n',
    rule: 'no-floating-promises',
  },
  {
    title: 'a promise is awaited',
    path: 'activities/awaited.ts',
    source:
      'async function send(): Promise<void> {}\nexport async function f(): Promise<void> {\n  await send();\n}\n',
    rule: null,
  },
  {
    title: 'a switch over a union misses no member',
    path: 'domain/switch.ts',
    source: `export function f(kind: 'sent' | 'unknown'): number {\n  switch (kind) {\n    case 'sent':\n      return 1;\n  }\n  return 0;\n}\n`,
    rule: 'switch-exhaustiveness-check',
  },
  {
    title: 'a default does not stand for a member',
    path: 'domain/default.ts',
    source: `export function f(kind: 'sent' | 'unknown'): number {\n  switch (kind) {\n    case 'sent':\n      return 1;\n    default:\n      return 0;\n  }\n}\n`,
    rule: 'switch-exhaustiveness-check',
  },
  {
    title: 'no any',
    path: 'domain/any.ts',
    source: 'export const a = (b: any): unknown => b;\n',
    rule: 'no-explicit-any',
  },
  {
    title: 'no default export',
    path: 'domain/d.ts',
    source: 'export default 1;\n',
    rule: 'no-default-export',
  },
];

/** The project's own settings over a folder of its layout, so that no bad file ever stands in the work tree. */
const folder = mkdtempSync(join(tmpdir(), 'replylane-lint-'));
const objections = new Map<string, string[]>();

beforeAll(async () => {
  const root = packageRoot();
  for (const file of ['.oxlintrc.json', 'tsconfig.json', '.gitignore', 'package.json']) {
    copyFileSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const { path, source } of CASES) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), source);
  }
  const oxlint = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
  const report = JSON.parse(await output(process.execPath, [oxlint, '--type-aware', '--format', 'json'])) as {
    readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
  };
  for (const { code, filename } of report.diagnostics) {
    objections.set(filename, [...(objections.get(filename) ?? []), code]);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('lint', () => {
  it.each(CASES)('$title ($path)', ({ path, rule }) => {
    const found = objections.get(path) ?? [];
    if (rule === null) expect(found).toEqual([]);
    else expect(found).toEqual([expect.stringContaining(`(${rule})`)]);
  });
});

function output(file: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.on('error', reject);
    child.on('close', () => resolve(stdout));
  });
}
