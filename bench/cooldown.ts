import { Rig, textReply } from '../test/support/rig/rig.ts';
import { step } from '../test/support/fake-service/index.ts';
import { type Figure, round } from './figure.ts';

const replies = 2000;
const ratePerSecond = 20;
const floodSeconds = 120;

/** Many replies through one cooldown: how soon after its deadline they leave, how fast, and whether any is early. */
export async function measureCooldown(note: (line: string) => void): Promise<Figure[]> {
  const limits = {
    bot: [{ limit: ratePerSecond, perMs: 1000 }],
    chat: [{ limit: 1, perMs: 1000 }],
    group: [],
  };
  const windows = { bot: [{ limit: ratePerSecond, perMs: 1000 }] };
  const rig = await Rig.start({ bots: { bench: { settings: { limits }, rules: { windows } } }, workers: 2 });
  try {
    rig.fake.script('bench', { times: 1 }, step.flood(floodSeconds));
    await rig.start(textReply('bench', 'first', 1));
    await rig.fake.waitFor((fake) => fake.deadlines.length > 0);
    const untilMs = rig.fake.deadlines[0]?.untilMs ?? 0;
    for (let i = 0; i < replies; i += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, j) => rig.start(textReply('bench', `r-${i + j}`, 1000 + i + j))),
      );
    }
    note(
      `${replies} replies wait; ${round((untilMs - performance.now()) / 1000, 0)} s of the cooldown are left`,
    );
    const sent = (): number => rig.fake.stored('bench').length;
    try {
      await rig.fake.waitFor(() => sent() === replies + 1, {
        timeoutMs: (floodSeconds + (3 * replies) / ratePerSecond) * 1000,
      });
    } catch {
      // What fell short stays in the report.
      note(`given up with ${sent()} of ${replies + 1} sent`);
    }
    const after = rig.fake.arrivals
      .filter((arrival) => arrival.atMs >= untilMs)
      .map((arrival) => arrival.atMs);
    const early = rig.fake.arrivals.filter((arrival) => arrival.early).length;
    const floods = rig.fake.arrivals.filter((arrival) => arrival.verdict === 'flood').length - 1;
    const firstMs = Math.min(...after) - untilMs;
    const spanMs = Math.max(...after) - Math.min(...after);
    const rate = ((after.length - 1) * 1000) / spanMs;
    return [
      {
        what: `${replies} replies through a cooldown of ${floodSeconds} s at ${ratePerSecond}/s: early, met by 429`,
        measured: `${early} early, ${floods} met by 429`,
        goal: '0 and 0',
        met: early === 0 && floods === 0,
      },
      {
        what: 'the first of them after the deadline',
        measured: `${round(firstMs, 0)} ms`,
        goal: 'within 500 ms',
        met: firstMs >= 0 && firstMs <= 500,
      },
      {
        what: 'their rate over the allowed rate',
        measured: `${round(rate / ratePerSecond)} (${round(rate, 1)}/s; ${after.length} of ${replies + 1} in ${round(spanMs / 1000, 0)} s)`,
        goal: 'at least 0.9',
        met: rate / ratePerSecond >= 0.9,
      },
    ];
  } finally {
    await rig.close();
  }
}
