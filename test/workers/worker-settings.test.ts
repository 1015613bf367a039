import { describe, expect, it } from 'vitest';
import { workerSettings } from '../../workers/settings.ts';

describe('what a worker shows of itself', () => {
  it('by default nothing is served, and the log is sentences', () => {
    const off = { metrics: null, log: 'text', version: null };
    expect(workerSettings({})).toEqual(off);
    expect(workerSettings({ REPLYLANE_METRICS_PORT: '', REPLYLANE_LOG: ' ' })).toEqual(off);
    expect(workerSettings({ REPLYLANE_METRICS_HOST: '0.0.0.0' })).toEqual(off);
  });

  it('a port turns it on, on loopback only unless another address is given', () => {
    expect(workerSettings({ REPLYLANE_METRICS_PORT: '9464' }).metrics).toEqual({
      host: '127.0.0.1',
      port: 9464,
    });
    const env = { REPLYLANE_METRICS_PORT: '9464', REPLYLANE_METRICS_HOST: '0.0.0.0', REPLYLANE_LOG: 'json' };
    expect(workerSettings(env)).toMatchObject({ metrics: { host: '0.0.0.0', port: 9464 }, log: 'json' });
  });

  it('an option goes before its variable', () => {
    const env = { REPLYLANE_METRICS_PORT: '9464', REPLYLANE_METRICS_HOST: '0.0.0.0', REPLYLANE_LOG: 'json' };
    expect(workerSettings(env, { metricsPort: 0, metricsHost: '::1', log: 'text' })).toMatchObject({
      metrics: { host: '::1', port: 0 },
      log: 'text',
    });
  });

  it.each(['65536', '-1', 'auto', '94 64', '1e3', '0x1'])(
    'the port "%s" is refused with its variable',
    (port) => {
      expect(() => workerSettings({ REPLYLANE_METRICS_PORT: port })).toThrow(
        /REPLYLANE_METRICS_PORT: give a port/,
      );
    },
  );

  it('all that is wrong is told at once', () => {
    expect(() => workerSettings({ REPLYLANE_METRICS_PORT: 'x', REPLYLANE_LOG: 'xml' })).toThrow(
      /2 problems:\n.*REPLYLANE_METRICS_PORT.*\n.*REPLYLANE_LOG: give text or json/,
    );
  });

  it('a version is a deployment and a build: one without the other is refused with its variable', () => {
    const env = { REPLYLANE_DEPLOYMENT_NAME: 'replylane', REPLYLANE_BUILD_ID: '0.2.0' };
    expect(workerSettings(env).version).toEqual({ deploymentName: 'replylane', buildId: '0.2.0' });
    expect(() => workerSettings({ ...env, REPLYLANE_BUILD_ID: '' })).toThrow(
      /REPLYLANE_BUILD_ID: give it too/,
    );
    expect(() => workerSettings({ ...env, REPLYLANE_DEPLOYMENT_NAME: '' })).toThrow(
      /REPLYLANE_DEPLOYMENT_NAME: give it too/,
    );
  });
});
