import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TemporalUnreachableError, connectTemporal } from '../../client/index.ts';
import { documents, runCli } from '../cli/run-cli.ts';
import { type Certificates, makeCertificates } from '../support/certificates.ts';
import { Rig } from '../support/rig/rig.ts';
import { type TlsFront, startTlsFront } from '../support/tls-front.ts';

const folder = mkdtempSync(join(tmpdir(), 'replylane-tls-'));
let rig: Rig;
let front: TlsFront;
let right: Certificates;
let foreign: Certificates;

beforeAll(async () => {
  right = makeCertificates(folder, 'right');
  foreign = makeCertificates(folder, 'foreign');
  rig = await Rig.start({ bots: { support: {} }, workers: 0 });
  front = await startTlsFront(right, Number(rig.server.address.split(':')[1]));
});
afterAll(async () => {
  await front?.close();
  await rig?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The rig's environment with TEMPORAL_ADDRESS and the rest set for TLS. */
function env(over: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    ...rig.env(),
    TEMPORAL_CONFIG_FILE: join(folder, 'none.toml'),
    TEMPORAL_ADDRESS: front.address,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: right.ca,
    TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
    TEMPORAL_TLS_CLIENT_CERT_PATH: right.client.cert,
    TEMPORAL_TLS_CLIENT_KEY_PATH: right.client.key,
    ...over,
  };
}

const connecting = (over: Readonly<Record<string, string>>) =>
  connectTemporal({ env: env(over), connectTimeoutMs: 2500 });

describe('a server that takes clients with a certificate only (mTLS)', () => {
  test('a worker and the command line work through it', async () => {
    await rig.addWorker(env());
    const args = ['send', '--bot', 'support', '--chat', '7', '--text', 'by TLS', '--key', 'tls', '--wait'];
    const sent = await runCli(['--json', ...args], { env: env() });
    expect(sent).toMatchObject({ code: 0 });
    expect(documents(sent).at(-1)).toMatchObject({ state: 'sent' });
    expect(rig.fake.stored('support').map(({ text }) => text)).toEqual(['by TLS']);
    expect(new Set(front.clients)).toEqual(new Set(['worker.test']));
  });

  test.each<[string, () => Record<string, string>]>([
    [
      'no client certificate',
      () => ({ TEMPORAL_TLS_CLIENT_CERT_PATH: '', TEMPORAL_TLS_CLIENT_KEY_PATH: '' }),
    ],
    [
      'a client certificate of another authority',
      () => ({
        TEMPORAL_TLS_CLIENT_CERT_PATH: foreign.client.cert,
        TEMPORAL_TLS_CLIENT_KEY_PATH: foreign.client.key,
      }),
    ],
    ['a server of another authority', () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: foreign.ca })],
    ['a server with another name', () => ({ TEMPORAL_TLS_SERVER_NAME: 'another.test' })],
  ])('%s: told as a matter of TLS', async (_, over) => {
    const before = front.clients.length;
    const attempt = connecting(over());
    await expect(attempt).rejects.toThrow(TemporalUnreachableError);
    await expect(attempt).rejects.toThrow(/check TEMPORAL_TLS_\*/);
    expect(front.clients.length).toBe(before);
  });

  test('no TLS at all: the variable that turns it on is named', async () => {
    const plain = { ...rig.env(), TEMPORAL_CONFIG_FILE: join(folder, 'none.toml') };
    const attempt = connectTemporal({
      env: { ...plain, TEMPORAL_ADDRESS: front.address },
      connectTimeoutMs: 2500,
    });
    await expect(attempt).rejects.toThrow(/TEMPORAL_TLS=true/);
  });

  test('a certificate with the key of another is told by its variables', async () => {
    const attempt = connecting({ TEMPORAL_TLS_CLIENT_KEY_PATH: foreign.client.key });
    await expect(attempt).rejects.toThrow(/TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH/);
  });

  test('a key in place of the authority’s certificate is told by its variable', async () => {
    const attempt = connecting({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: right.client.key });
    await expect(attempt).rejects.toThrow(/TEMPORAL_TLS_SERVER_CA_CERT_PATH/);
  });
});
