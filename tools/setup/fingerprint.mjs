import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const PROGRAM = [
  'domain',
  'contracts',
  'workflows',
  'activities',
  'workers',
  'client',
  'cli',
  'config',
  'tools',
];
const REST = ['test', 'bench', 'examples'];
const SETTINGS = ['tsconfig.json', 'package.json', 'package-lock.json'];
const STAMP = join('dist', '.built');

/** What the compiler reads, by name, size and time: `program` for the command line, `all` with tests and bench. */
export function fingerprint(root) {
  const program = [
    ...SETTINGS.map((file) => join(root, file)),
    ...PROGRAM.flatMap((dir) => sources(root, dir)),
  ];
  return {
    program: digest(program),
    all: digest([...program, ...REST.flatMap((dir) => sources(root, dir))]),
  };
}

/** The fingerprint of the last build that succeeded, or nothing. */
export function builtFingerprint(root) {
  const stamp = join(root, STAMP);
  return existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : undefined;
}

export function stampPath(root) {
  return join(root, STAMP);
}

function sources(root, dir) {
  const folder = join(root, dir);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.(ts|json)$/.test(name))
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => join(folder, name));
}

function digest(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
}
