import { text } from 'node:stream/consumers';
import { startControl } from './control.ts';
import { startFakeTelegram, type FakeTelegramOptions } from './fake-telegram.ts';

/**
 * The fake as a process of its own. Takes `{ bots, port?, idleCloseMs?, controlPort? }` as JSON, from its first argument
 * or else from stdin, prints `{"apiRoot","controlUrl"}` on one line and runs until it is stopped.
 */
type ProcessOptions = Omit<FakeTelegramOptions, 'nowMs'> & { readonly controlPort?: number };

const { controlPort, ...options } = JSON.parse(
  process.argv[2] ?? (await text(process.stdin)),
) as ProcessOptions;
const fake = await startFakeTelegram(options);
const control = await startControl(fake, controlPort);
process.stdout.write(`${JSON.stringify({ apiRoot: fake.apiRoot, controlUrl: control.url })}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void Promise.all([fake.stop(), control.stop()]).then(() => process.exit(0));
  });
}
