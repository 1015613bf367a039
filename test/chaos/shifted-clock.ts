/**
 * Loaded into a worker process before anything else (`node --import`): makes its wall clock wrong. The error in
 * milliseconds stands in the file that `CHAOS_CLOCK_FILE` names, and is read again twice a second, so that a clock may
 * also be stepped while the process runs. Timers and the monotonic clock stay right, as they do on a real machine.
 */
import { readFileSync } from 'node:fs';

const file = process.env['CHAOS_CLOCK_FILE'];
let offsetMs = 0;

function read(): void {
  try {
    const wanted = Number(readFileSync(file ?? '', 'utf8'));
    if (Number.isFinite(wanted)) offsetMs = wanted;
  } catch {
    // No file: the clock is right.
  }
}

const RightDate = globalThis.Date;
const shiftedNow = (): number => RightDate.now() + offsetMs;

read();
setInterval(read, 500).unref();
globalThis.Date = new Proxy(RightDate, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [shiftedNow()] : args, newTarget) as Date,
  apply: () => new RightDate(shiftedNow()).toString(),
  get: (target, name, receiver) =>
    name === 'now' ? shiftedNow : (Reflect.get(target, name, receiver) as unknown),
});
