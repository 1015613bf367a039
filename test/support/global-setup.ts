import type { TestProject } from 'vitest/node';
import {
  findTemporalCli,
  findTimeSkippingServer,
  startDevServer,
  temporalAddressFromEnv,
} from '../../tools/temporal/launcher.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The one server of the whole run: use bots and keys of your own in each test. */
    temporalAddress: string;
    /** Executables for tests that need a server of their own. */
    temporalCliPath: string;
    timeSkippingServerPath: string;
  }
}

export async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const cli = await findTemporalCli();
  provide('temporalCliPath', cli.path);
  provide('timeSkippingServerPath', (await findTimeSkippingServer()).path);

  const given = temporalAddressFromEnv();
  if (given !== undefined) {
    provide('temporalAddress', given);
    return undefined;
  }
  const server = await startDevServer({ cliPath: cli.path });
  provide('temporalAddress', server.address);
  return () => server.stop();
}
