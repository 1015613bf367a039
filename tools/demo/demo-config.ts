import { assertLoopback } from '../../test/support/loopback.ts';
import { demoBot, naiveBot, serviceWindows } from './plan.ts';

/** Tokens of bots that exist in the demo only. */
export const tokens = {
  [demoBot]: '100001:DEMO-TOKEN-of-the-demo-itself-abcdefg',
  [naiveBot]: '100002:DEMO-TOKEN-of-the-naive-one-abcdefgh',
} as const;

const tokenVariable = 'REPLYLANE_DEMO_TOKEN';

/** Short, so that the lost answer is known as lost soon; a real bot keeps the default of 20 s. */
export const httpTimeoutMs = 8000;

/** The configuration of the demo's bot. Throws unless the service is on this machine: nothing may reach a real one. */
export function demoConfig(apiRoot: string): object {
  assertLoopback(apiRoot);
  const bot = {
    contract: 'telegram',
    tokenEnv: tokenVariable,
    apiRoot,
    limits: serviceWindows,
    httpTimeoutMs,
  };
  return { bots: { [demoBot]: bot } };
}

/** This process's environment, less every setting of Temporal and of the project in it, with those of the demo. */
export function demoEnvironment(
  settings: { readonly config: string; readonly temporalConfig: string; readonly address: string },
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !/^(TEMPORAL|REPLYLANE)_/.test(name));
  return {
    ...Object.fromEntries(others),
    TEMPORAL_ADDRESS: settings.address,
    TEMPORAL_CONFIG_FILE: settings.temporalConfig,
    REPLYLANE_CONFIG: settings.config,
    [tokenVariable]: tokens[demoBot],
    // A proxy set for the outside must not be asked for what is on this machine.
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
  };
}
