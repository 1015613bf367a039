import { describe, expect, inject, it } from 'vitest';
import { parseConfig } from '../../config/load.ts';
import { runReplyWorker } from '../../workers/index.ts';

const config = parseConfig(
  '{ "bots": { "settings-bot": { "contract": "telegram", "tokenEnv": "NO_TOKEN" } } }',
  '/x.json',
);

describe('a worker reads the settings of Temporal as the client does', () => {
  it('an API key without TLS is refused: it would travel in the open', async () => {
    const env = {
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_API_KEY: 'secret-key',
      TEMPORAL_TLS: 'false',
    };
    await expect(runReplyWorker({ config, env })).rejects.toThrow(
      /TEMPORAL_API_KEY would travel unencrypted/,
    );
  });

  it('nobody at the address is told with the address', async () => {
    await expect(runReplyWorker({ config, env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } })).rejects.toThrow(
      /127\.0\.0\.1:1/,
    );
  });

  it('a proxy for the outside is not asked for a server on this machine; a blank key is none', async () => {
    const shutdown = new AbortController();
    const env = {
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      TEMPORAL_API_KEY: ' ',
      http_proxy: 'http://127.0.0.1:9',
    };
    const before = process.env['http_proxy'];
    process.env['http_proxy'] = env.http_proxy;
    try {
      await runReplyWorker({
        config,
        env,
        shutdown: shutdown.signal,
        log: () => {},
        onReady: () => shutdown.abort(),
      });
    } finally {
      if (before === undefined) delete process.env['http_proxy'];
      else process.env['http_proxy'] = before;
    }
  });
});
