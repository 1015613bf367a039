// Makes a fresh clone ready, with nothing but Node and npm: packages, build, Temporal servers.
import { ensureBuild } from './setup/build.mjs';
import { ensurePackages } from './setup/packages.mjs';
import { ensureServers } from './setup/servers.mjs';
import { SetupError, say } from './setup/step.mjs';

try {
  await ensurePackages();
  await ensureBuild();
  await ensureServers();
  say('ready: try npm run demo, npm test, npm start or npx replylane --help');
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  say(error.message);
  process.exitCode = 1;
}
