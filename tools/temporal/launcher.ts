// Where every Temporal server of this project comes from: demo, development command and tests.
export { temporalAddressFromEnv } from './address.ts';
export { cacheFolder } from './cache.ts';
export { startDevServer, type DevServer, type DevServerOptions } from './dev-server.ts';
export { packageRoot } from './package-root.ts';
export { findTemporalCli, type TemporalCli } from './temporal-cli.ts';
export { findTimeSkippingServer, type TimeSkippingServer } from './time-skipping-server.ts';
