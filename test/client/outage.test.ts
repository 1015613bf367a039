import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { ReplyClient, connectTemporal } from '../../client/index.ts';
import { freePort } from '../../tools/temporal/free-port.ts';
import { startDevServer } from '../../tools/temporal/launcher.ts';

const folder = mkdtempSync(join(tmpdir(), 'replylane-outage-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a restart of Temporal neither ends the wait for a result nor loses the reply', async () => {
  const options = {
    port: await freePort(),
    uiPort: await freePort(),
    dbFilename: join(folder, 'temporal.db'),
    cliPath: inject('temporalCliPath'),
  };
  const first = await startDevServer(options);
  const client = await connectTemporal({ env: { TEMPORAL_ADDRESS: first.address } });
  const replies = new ReplyClient(client, { callTimeoutMs: 1000, workerTimeoutMs: 1000 });
  const handle = await replies.send({ bot: 'support', chat: 1, text: 'x' }, { key: 'outage' });
  const result = handle.result({ timeoutMs: 12_000 });
  await first.kill();
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const second = await startDevServer(options);
  expect(await result).toMatchObject({ id: 'support/outage', state: 'waiting' });
  expect((await replies.send({ bot: 'support', chat: 1, text: 'x' }, { key: 'outage' })).deduplicated).toBe(
    true,
  );
  await client.connection.close();
  await second.stop();
});
