import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, test } from 'vitest';
import {
  ConnectionSettingsError,
  ReplyClient,
  TemporalUnreachableError,
  connectTemporal,
  connectionSettings,
} from '../../client/index.ts';
import { freePort } from '../../tools/temporal/free-port.ts';

const folder = mkdtempSync(join(tmpdir(), 'replylane-connect-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
/** No file of the person who runs the tests. */
const bare = { TEMPORAL_CONFIG_FILE: join(folder, 'none.toml') };

describe('the settings of the connection', () => {
  test('empty variables count as unset: an empty API key does not turn TLS on', () => {
    const empty = { TEMPORAL_ADDRESS: '', TEMPORAL_NAMESPACE: ' ', TEMPORAL_API_KEY: '', TEMPORAL_TLS: '' };
    const settings = connectionSettings({ ...bare, ...empty });
    expect(settings).toMatchObject({ address: '127.0.0.1:7233', namespace: 'default' });
    expect(settings.connection.tls ?? false).toBe(false);
    expect(settings.connection.apiKey).toBeUndefined();
  });

  test('are those of TEMPORAL_*', () => {
    const env = { ...bare, TEMPORAL_ADDRESS: 'temporal:7233', TEMPORAL_NAMESPACE: 'replies' };
    expect(connectionSettings(env)).toMatchObject({ address: 'temporal:7233', namespace: 'replies' });
  });

  test('a proxy for the outside is not asked for this machine', () => {
    const args = { 'grpc.enable_http_proxy': 0 };
    for (const address of ['127.0.0.1:7233', 'localhost:7233', '[::1]:7233']) {
      expect(connectionSettings({ ...bare, TEMPORAL_ADDRESS: address }).connection.channelArgs).toEqual(args);
    }
    const outside = connectionSettings({ ...bare, TEMPORAL_ADDRESS: 'temporal.example:7233' });
    expect(outside.connection.channelArgs).toBeUndefined();
  });

  test('an API key without TLS is refused', () => {
    expect(() => connectionSettings({ ...bare, TEMPORAL_API_KEY: 'secret', TEMPORAL_TLS: 'false' })).toThrow(
      ConnectionSettingsError,
    );
  });

  test('a certificate that is missing is told by its variable', () => {
    const missing = join(folder, 'missing.pem');
    const env = { ...bare, TEMPORAL_TLS_CLIENT_CERT_PATH: missing, TEMPORAL_TLS_CLIENT_KEY_PATH: missing };
    expect(() => connectionSettings(env)).toThrow(/TEMPORAL_TLS_CLIENT_CERT_PATH/);
  });

  test('of a client certificate and its key, the one that is missing is named', () => {
    const given = join(folder, 'given.pem');
    const only = (name: string) => () => connectionSettings({ ...bare, [name]: given });
    expect(only('TEMPORAL_TLS_CLIENT_CERT_PATH')).toThrow(/set TEMPORAL_TLS_CLIENT_KEY_PATH/);
    expect(only('TEMPORAL_TLS_CLIENT_KEY_PATH')).toThrow(/set TEMPORAL_TLS_CLIENT_CERT_PATH/);
  });

  test.each(['yes', 'TRUE', 'on'])('TEMPORAL_TLS=%s does not turn TLS off unseen', (value) => {
    expect(() => connectionSettings({ ...bare, TEMPORAL_TLS: value })).toThrow(/TEMPORAL_TLS is neither/);
  });

  test('a wish that the SDK passes over is refused: the host is verified always', () => {
    const variable = 'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION';
    expect(() => connectionSettings({ ...bare, [variable]: 'true' })).toThrow(variable);
    expect(connectionSettings({ ...bare, [variable]: 'false' }).address).toBe('127.0.0.1:7233');
  });

  test('a profile of Temporal’s file is used, and an empty API key in it does not turn TLS on', () => {
    const file = join(folder, 'profiles.toml');
    const lines = ['[profile.cloud]', 'address = "temporal:7233"', 'namespace = "replies"', 'api_key = ""'];
    writeFileSync(file, lines.join('\n'));
    const settings = connectionSettings({ TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'cloud' });
    expect(settings).toMatchObject({ address: 'temporal:7233', namespace: 'replies' });
    expect(settings.connection.tls ?? false).toBe(false);
    expect(() => connectionSettings({ TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'other' })).toThrow(
      /'other'/,
    );
  });

  test('an API key turns TLS on', () => {
    const { connection } = connectionSettings({ ...bare, TEMPORAL_API_KEY: 'secret' });
    expect(connection).toMatchObject({ apiKey: 'secret', tls: true });
  });

  test('a file that cannot be read as one is told, and the key that stands in it is not', () => {
    const file = join(folder, 'bad.toml');
    writeFileSync(file, '[profile.default]\napi_key = "the-key-of-temporal" oops\n');
    const attempt = () => connectionSettings({ TEMPORAL_CONFIG_FILE: file });
    expect(attempt).toThrow(ConnectionSettingsError);
    expect(attempt).toThrow(/^[^]*TOML[^]*$/);
    expect(attempt).not.toThrow(/the-key-of-temporal/);
  });
});

describe('Temporal that does not answer', () => {
  test('is told within seconds, with its address and what to do', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const startedMs = performance.now();
    const attempt = connectTemporal({ env: { ...bare, TEMPORAL_ADDRESS: address }, connectTimeoutMs: 1500 });
    await expect(attempt).rejects.toThrow(TemporalUnreachableError);
    await expect(attempt).rejects.toThrow(new RegExp(`${address}.*TEMPORAL_ADDRESS`));
    expect(performance.now() - startedMs).toBeLessThan(4000);
  });

  test('a namespace that is not there is told by its name', async () => {
    const env = { ...bare, TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_NAMESPACE: 'nowhere' };
    const client = await connectTemporal({ env });
    const replies = new ReplyClient(client);
    const asked = replies.status('support/x');
    await expect(asked).rejects.toThrow(TemporalUnreachableError);
    await expect(asked).rejects.toThrow(/"nowhere".*TEMPORAL_NAMESPACE/);
    const sent = replies.send({ bot: 'support', chat: 1, text: 'x' }, { key: 'x' });
    await expect(sent).rejects.toThrow(/"nowhere"/);
    await client.connection.close();
  });
});
