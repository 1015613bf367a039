import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, SetupError, say } from './step.mjs';

/** Finds, fetches or builds both Temporal servers, so that the first demo or test run need not. */
export async function ensureServers() {
  const launcher = await import(pathToFileURL(join(ROOT, 'dist', 'tools', 'temporal', 'launcher.js')).href);
  const address = launcher.temporalAddressFromEnv();
  if (address !== undefined) {
    say(`TEMPORAL_ADDRESS is set: ${address} is used, no Temporal server is fetched`);
    return;
  }
  try {
    const cli = await launcher.findTemporalCli();
    say(`Temporal server: ${cli.path} (${cli.source})`);
  } catch (error) {
    throw new SetupError(error.message, { cause: error });
  }
  try {
    const server = await launcher.findTimeSkippingServer();
    say(`time-skipping test server: ${server.path} (${server.source})`);
  } catch (error) {
    say(`only the tests need it: ${error.message}`);
  }
}
