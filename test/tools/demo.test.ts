import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, inject, it } from 'vitest';
import type { DemoDocument } from '../../tools/demo/document.ts';
import { packageRoot } from '../../tools/temporal/package-root.ts';
import { waitUntil } from '../support/wait-until.ts';

const demoWithinMs = 120_000;
/** Everything temporary of the demos goes here. */
const folder = mkdtempSync(join(tmpdir(), 'replylane-demo-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function startDemo(...args: readonly string[]) {
  const root = packageRoot();
  return spawn(process.execPath, [join(root, 'tools', 'run.mjs'), 'demo', ...args], {
    cwd: root,
    env: {
      ...process.env,
      TMPDIR: folder,
      TEMPORAL_CLI_PATH: inject('temporalCliPath'),
      // The demo brings its own server, whatever is set.
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

it(
  'the demo holds all its checks, prints one document, and leaves nothing behind',
  async () => {
    const child = startDemo('--json');
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    const found = JSON.parse(stdout) as DemoDocument;
    expect({ code, failed: found.failed }, stderr).toEqual({ code: 0, failed: [] });
    expect(found.ok).toBe(true);
    expect(found.endings).toEqual({ sent: 56, review: 2, cancelled: 1, expired: 1 });
    expect(found.checks.map(({ name }) => name)).toEqual([
      'deadlines',
      'twice',
      'lost',
      'windows',
      'order',
      'review',
      'trouble',
      'control',
      'decided',
    ]);
    expect(found.control.map(({ ok }) => ok)).toEqual(found.control.map(() => false));
    expect(new Set(found.decided.map(({ decision, state }) => `${decision}: ${state}`))).toEqual(
      new Set(['sent: sent', 'not_sent: not_sent']),
    );
    expect(found.elapsedSeconds).toBeLessThan(90);
    expect(readdirSync(folder)).toEqual([]);
    await expect(fetch(found.webUi)).rejects.toThrow();
  },
  demoWithinMs,
);

it(
  'Ctrl-C in the middle ends every process of the demo, with exit code 130',
  async () => {
    const child = startDemo();
    let seen = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (seen += chunk));
    const exited = once(child, 'exit');
    await waitUntil(() => seen.includes('persons handed over'), {
      withinMs: demoWithinMs / 2,
      what: () => seen,
    });
    const pids = [...(/processes (\d+) and (\d+)/.exec(seen) ?? [])].slice(1).map(Number);
    const webUi = /Web UI at (\S+),/.exec(seen)?.[1] ?? '';
    expect(pids).toHaveLength(2);
    expect((await fetch(webUi)).status).toBe(200);
    child.kill('SIGINT');
    const [code] = await exited;
    expect(code).toBe(130);
    expect(pids.filter(isAlive)).toEqual([]);
    await expect(fetch(webUi)).rejects.toThrow();
    expect(readdirSync(folder)).toEqual([]);
  },
  demoWithinMs,
);

it(
  'an option that it does not know is refused with exit code 2',
  async () => {
    const child = startDemo('--jsom');
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(code).toBe(2);
    expect(stderr).toContain('--jsom');
  },
  demoWithinMs,
);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
