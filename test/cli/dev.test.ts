import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { freePort } from '../../tools/temporal/free-port.ts';
import { type FakeTelegram, startFakeTelegram } from '../support/fake-service/index.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type RunningCli, documents, runCli, startCli } from './run-cli.ts';

const token = '123456:TEST-TOKEN-OF-DEV-abcdefghijklmnopqrstuvw';
const folder = mkdtempSync(join(tmpdir(), 'replylane-cli-dev-'));
const running: RunningCli[] = [];
afterAll(() => {
  for (const { child } of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const env = { TEMPORAL_CLI_PATH: inject('temporalCliPath'), DEV_TOKEN: token };

function configFor(fake: FakeTelegram): string {
  const path = join(folder, `config-${fake.port}.json`);
  const bot = { contract: 'telegram', tokenEnv: 'DEV_TOKEN', apiRoot: fake.apiRoot };
  writeFileSync(path, JSON.stringify({ bots: { support: bot } }));
  return path;
}

async function startDev(args: readonly string[], more: Record<string, string> = {}): Promise<RunningCli> {
  const dev = startCli(['dev', '--json', ...args], { env: { ...env, ...more }, cwd: folder });
  running.push(dev);
  const ready = waitUntil(() => dev.stdout().includes('\n'), {
    withinMs: 60_000,
    what: () => 'dev is not ready',
  });
  await Promise.race([ready, dev.ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  return dev;
}

describe('dev', () => {
  test('runs Temporal and a worker, prints the two addresses once ready, and keeps its state in the file', async () => {
    const fake = await startFakeTelegram({ bots: { [token]: { name: 'support' } } });
    const [port, uiPort] = [await freePort(), await freePort()];
    const ports = [
      '--port',
      String(port),
      '--ui-port',
      String(uiPort),
      '--db-filename',
      join(folder, 'dev.db'),
    ];
    const withConfig = { REPLYLANE_CONFIG: configFor(fake) };
    const address = `127.0.0.1:${port}`;
    const other = { env: { ...env, ...withConfig, TEMPORAL_ADDRESS: address }, cwd: folder };

    const first = await startDev(ports, withConfig);
    const ui = `http://127.0.0.1:${uiPort}`;
    expect(first.stdout()).toBe(`{"temporalAddress":"${address}","webUi":"${ui}"}\n`);
    expect((await fetch(ui)).status).toBe(200);
    const sent = await runCli(
      ['send', '--bot', 'support', '--chat', '1', '--text', 'dev', '--key', 'd', '--wait'],
      other,
    );
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringMatching(/support\/d {2}sent/) });
    first.child.kill('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0, stdout: first.stdout() });
    expect((await runCli(['status', 'support/d'], other)).code).toBe(5);

    const second = await startDev([...ports, '--no-worker']);
    expect(documents(await runCli(['status', 'support/d', '--json'], other))).toMatchObject([
      { state: 'sent' },
    ]);
    second.child.kill('SIGINT');
    expect((await second.ended).code).toBe(0);
    await fake.stop();
  });

  test('uses the Temporal at TEMPORAL_ADDRESS, and leaves it running', async () => {
    const address = inject('temporalAddress');
    const dev = await startDev(['--no-worker'], { TEMPORAL_ADDRESS: address });
    expect(dev.stdout()).toBe(`{"temporalAddress":"${address}","webUi":null}\n`);
    dev.child.kill('SIGINT');
    expect((await dev.ended).code).toBe(0);
    expect((await runCli(['status', 'support/none'], { env: { TEMPORAL_ADDRESS: address } })).code).toBe(3);
  });

  test('without a configuration says how to make one with exit 2, before anything is started', async () => {
    for (const command of ['dev', 'worker']) {
      const end = await runCli([command], { env, cwd: folder });
      expect(end).toMatchObject({ code: 2, stdout: '' });
      expect(end.stderr).toMatch(/copy examples\/replylane\.config\.json/);
    }
  });

  test('a port in use is told by its number and option', async () => {
    const port = await freePort();
    const listener = createServer().listen(port, '127.0.0.1');
    const end = await runCli(['dev', '--no-worker', '--port', String(port)], { env, cwd: folder });
    expect(end).toMatchObject({ code: 1, stdout: '' });
    expect(end.stderr).toMatch(new RegExp(`port ${port} cannot be used \\(EADDRINUSE\\).*--port`));
    listener.close();
  });
});

describe('worker', () => {
  test('takes replies until it is stopped', async () => {
    const fake = await startFakeTelegram({ bots: { [token]: { name: 'support' } } });
    const dev = await startDev([
      '--no-worker',
      '--port',
      String(await freePort()),
      '--ui-port',
      String(await freePort()),
    ]);
    const [addresses] = documents({ code: 0, stdout: dev.stdout(), stderr: '' });
    const address = String(addresses?.['temporalAddress']);
    const options = {
      env: { ...env, TEMPORAL_ADDRESS: address, REPLYLANE_CONFIG: configFor(fake) },
      cwd: folder,
    };
    const worker = startCli(['worker'], options);
    running.push(worker);
    const sent = await runCli(['send', '--bot', 'support', '--chat', '1', '--text', 'w', '--wait'], options);
    expect(sent.code).toBe(0);
    worker.child.kill('SIGTERM');
    const end = await worker.ended;
    expect(end).toMatchObject({ code: 0, stdout: '' });
    expect(end.stderr).toMatch(/worker: ready[^]*worker: stopped/);
    dev.child.kill('SIGTERM');
    await dev.ended;
    await fake.stop();
  });
});
