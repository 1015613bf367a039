import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../tools/temporal/free-port.ts';
import { step } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type RunningCli, documents, runCli, startCli } from './run-cli.ts';

const who = ['--by', 'ann', '--reason', 'a test'];
/** Where there is no configuration. */
const folder = mkdtempSync(join(tmpdir(), 'replylane-cli-watch-'));
const started: RunningCli[] = [];
let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start({ bots: { support: {}, flooded: {} } });
});
afterAll(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  await rig.close();
});

function watch(...args: string[]): RunningCli {
  return watchWith(rig.env(), ...args);
}

function watchWith(env: Readonly<Record<string, string>>, ...args: string[]): RunningCli {
  const running = startCli(['watch', '--interval-seconds', '1', ...args], { env, cwd: folder });
  started.push(running);
  return running;
}

async function until(running: RunningCli, wanted: () => boolean): Promise<void> {
  await waitUntil(wanted, {
    withinMs: 60_000,
    what: () => `watch to say so: ${running.stdout()} ${running.stderr()}`,
  });
}

/** The whole lines on stdout so far, as documents. */
function seen(running: RunningCli): readonly Record<string, unknown>[] {
  const whole = running.stdout().slice(0, running.stdout().lastIndexOf('\n') + 1);
  return documents({ code: 0, stdout: whole, stderr: '' });
}

async function ended(running: RunningCli): Promise<number> {
  running.child.kill('SIGINT');
  return (await running.ended).code;
}

describe('watch', { timeout: 240_000 }, () => {
  test('without a terminal is a plain line for each lane at each look, and Ctrl-C ends it with 0', async () => {
    const running = watch();
    await until(running, () => (running.stdout().match(/ support: open, waiting 0/g) ?? []).length >= 2);
    expect(await ended(running)).toBe(0);
    for (const line of running.stdout().trimEnd().split('\n'))
      expect(line).toMatch(
        /^20\d\d-\S+Z (support|flooded): \w+, waiting \d+, in flight \d+, rate (-|\d+\.\d\/s), cooldown /,
      );
    expect(running.stdout()).not.toContain('\u001B');
  });

  test('shows a cooldown, who waits, the rate, and what is unknown, with the command for it', async () => {
    await rig.untilLaneIsOld('support');
    rig.fake.script('support', { chat: 1, times: 1 }, step.resetAfterBody({ store: true }));
    await rig.start(textReply('support', 'doubt', 1));
    await rig.until('support', 'doubt', ({ state }) => state === 'review');
    rig.fake.script('flooded', { chat: 2, times: 1 }, step.flood(600));
    await rig.start(textReply('flooded', 'late', 2));
    await rig.until('flooded', 'late', ({ waiting }) => waiting?.why === 'cooldown');

    const running = watch('--json');
    const has = (part: object) => () =>
      seen(running).some((one) => Object.entries(part).every(([name, value]) => one[name] === value));
    await until(running, has({ bot: 'support', state: 'open', unknown: 1, reviews: 1 }));
    await until(running, has({ bot: 'flooded', state: 'cooldown', why: 'flood', waiting: 1 }));
    const flooded = seen(running).find(({ bot }) => bot === 'flooded');
    expect(flooded?.['cooldownSeconds']).toBeGreaterThan(400);
    expect(flooded?.['notBefore']).toMatch(/^20\d\d-.*Z$/);
    const sentBefore = Number(seen(running).findLast(({ bot }) => bot === 'support')?.['sent']);
    await rig.start(textReply('support', 'plain', 3));
    await rig.result('support', 'plain');
    await until(running, () =>
      seen(running).some(
        ({ bot, sent, sentPerSecond }) =>
          bot === 'support' && Number(sent) > sentBefore && Number(sentPerSecond) > 0,
      ),
    );
    expect(await ended(running)).toBe(0);

    const once = await runCli(['watch', 'support', '--once', '--interval-seconds', '1'], { env: rig.env() });
    expect(once.stdout).toMatch(
      /unknown 1, under review 1; replylane review list --bot support --kind unknown\n$/,
    );
    expect(once).toMatchObject({ code: 0, stderr: '' });
  });

  test('shows a pause as what lasts longest, and how it ends', async () => {
    await runCli(['lane', 'pause', 'flooded', ...who], { env: rig.env() });
    const { stdout } = await runCli(['watch', 'flooded', '--once'], { env: rig.env() });
    expect(stdout).toMatch(/ flooded: paused,.*; paused: by ann: a test \(replylane lane resume flooded /);
    expect(stdout.split('\n')).toHaveLength(2);
  });

  test('without a configuration shows every lane that runs', async () => {
    const { TEMPORAL_ADDRESS = '' } = rig.env();
    const end = await runCli(['watch', '--once', '--json'], { env: { TEMPORAL_ADDRESS }, cwd: folder });
    expect(documents(end).map(({ kind, bot }) => [kind, bot])).toEqual([
      ['lane', 'flooded'],
      ['lane', 'support'],
    ]);
  });

  test('a lane that is not there is told in its place, beside the others', async () => {
    const end = await runCli(['watch', 'nobody', 'support', '--once'], { env: rig.env() });
    expect(end.stdout).toMatch(/ nobody: there is no such lane: it begins when a worker/);
    expect(end.stdout).toMatch(/ support: open/);
    expect(await runCli(['watch', 'No Bot', '--once'], { env: rig.env() })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/bot "No Bot".*a-z, 0-9/) as string,
    });
    expect((await runCli(['watch', '--interval-seconds', '0'], { env: rig.env() })).code).toBe(2);
  });

  test('while Temporal is down says so, and goes on when it is back', async () => {
    const toPort = Number(rig.server.address.split(':')[1]);
    const port = await freePort();
    const env = { ...rig.env(), TEMPORAL_ADDRESS: `127.0.0.1:${port}` };
    const once = await runCli(['watch', '--once'], { env });
    expect(once).toMatchObject({
      code: 5,
      stdout: expect.stringMatching(/Temporal at 127\.0\.0\.1:\d+: it does not answer/) as string,
    });
    const running = watchWith(env, '--json');
    await until(running, () => seen(running).some(({ kind }) => kind === 'unreachable'));
    const proxy = await startTcpProxy({ toPort, port });
    try {
      await until(running, () => seen(running).some(({ kind }) => kind === 'lane'));
      proxy.set({ kind: 'reset' });
      await until(running, () => seen(running).at(-1)?.['kind'] === 'unreachable');
      proxy.set({ kind: 'pass' });
      await until(running, () => seen(running).at(-1)?.['kind'] === 'lane');
      expect(await ended(running)).toBe(0);
    } finally {
      await proxy.close();
    }
  });

  test('with no worker says so of each lane, and that one must be started', async () => {
    await rig.killWorkers();
    const running = watch('support');
    await until(running, () =>
      / support: no worker has answered within 5 s: start one \(replylane worker\)/.test(running.stdout()),
    );
    await rig.addWorker();
    await until(running, () => / support: open.*\n$/.test(running.stdout()));
    expect(await ended(running)).toBe(0);
  });
});
