// Preloaded into a worker process by `shiftedClock`: its wall clock is ahead by so much, and each SIGUSR2 steps it. What
// the SDK's native part reads is not shifted; the project's own code is JavaScript, and so is the gRPC client.
import { isMainThread } from 'node:worker_threads';

const { RIG_CLOCK_AHEAD_MS: aheadMs = '0', RIG_CLOCK_STEPS_MS: steps = '' } = process.env;
const stepsMs = steps === '' ? [] : steps.split(',').map(Number);
const RealDate = Date;
let offsetMs = Number(aheadMs);

globalThis.Date = class Date extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offsetMs);
    else super(...args);
  }

  static now() {
    return RealDate.now() + offsetMs;
  }
};

if (isMainThread) {
  const tell = () => process.stderr.write(`clock: ${offsetMs} ms ahead, it is ${new Date().toISOString()}\n`);
  tell();
  process.on('SIGUSR2', () => {
    offsetMs += stepsMs.shift() ?? 0;
    tell();
  });
}
