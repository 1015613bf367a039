import { describe, expect, it } from 'vitest';
import * as step from './steps.ts';
import { OTHER_TOKEN, TOKEN, useFake } from './use-fake.ts';

const inUse = useFake();

describe('a flood', () => {
  it('is answered so that every answer counts down to the same instant', async () => {
    let nowMs = 0;
    await inUse.start({}, { nowMs: () => nowMs });
    await inUse.fake.flood(TOKEN, 42_371);
    const asked = [];
    for (const atSeconds of [0, 122, 316]) {
      nowMs = atSeconds * 1000;
      asked.push((await inUse.send(1)).body.parameters?.retry_after);
    }
    expect(asked).toEqual([42_371, 42_249, 42_055]);
    expect(inUse.fake.deadlines.map(({ untilMs }) => untilMs)).toEqual([42_371_000, 42_371_000, 42_371_000]);
    nowMs = 42_371_000;
    expect((await inUse.send(1)).status).toBe(200);
    expect(inUse.fake.arrivals.map(({ early, verdict }) => [early, verdict])).toEqual([
      [true, 'flood'],
      [true, 'flood'],
      [true, 'flood'],
      [false, 'stored'],
    ]);
  });

  it('asks for 1 second at least', async () => {
    await inUse.start({}, { nowMs: () => 0 });
    await inUse.fake.flood(TOKEN, 0.001);
    expect((await inUse.send(1)).body.parameters?.retry_after).toBe(1);
  });

  it('counts down truthfully when its answer is held back', async () => {
    let nowMs = 0;
    await inUse.start({}, { nowMs: () => nowMs });
    await inUse.fake.flood(TOKEN, 100);
    inUse.fake.script(TOKEN, {}, step.hold(50));
    const answer = inUse.send(1);
    await inUse.fake.waitFor(() => inUse.fake.arrivals[0]?.verdict === 'flood');
    nowMs = 40_000;
    expect((await answer).body.parameters?.retry_after).toBe(60);
  });

  it('of one bot leaves the other alone', async () => {
    await inUse.start();
    await inUse.fake.flood('support', 60);
    expect((await inUse.send(1, 'hi', OTHER_TOKEN)).status).toBe(200);
    expect((await inUse.send(1)).status).toBe(429);
  });

  it('of one chat leaves the other chats alone', async () => {
    await inUse.start();
    await inUse.fake.flood('support', 60, -7);
    expect((await inUse.send(-7)).status).toBe(429);
    expect((await inUse.send(8)).status).toBe(200);
    expect(inUse.fake.deadlines).toMatchObject([{ bot: 'support', chat: '-7', retryAfterSeconds: 60 }]);
  });

  it('never gets shorter by a shorter one', async () => {
    await inUse.start({}, { nowMs: () => 0 });
    await inUse.fake.flood('support', 10);
    inUse.fake.script('support', {}, step.flood(2));
    expect((await inUse.send(1)).body.parameters?.retry_after).toBe(10);
  });

  it('met by two requests in flight leaves the longer wait in force', async () => {
    await inUse.start({}, { nowMs: () => 0 });
    inUse.fake.script(TOKEN, { chat: 1 }, step.flood(10));
    inUse.fake.script(TOKEN, { chat: 2 }, { ...step.tooManyRequests(2), holdMs: 40 });
    const [first, second] = await Promise.all([inUse.send(1), inUse.send(2)]);
    expect([first.body.parameters, second.body.parameters]).toEqual([
      { retry_after: 10 },
      { retry_after: 2 },
    ]);
    expect(inUse.fake.deadlines.map(({ untilMs }) => untilMs)).toEqual([10_000, 2_000]);
    expect(inUse.fake.penaltyEndsAtMs(TOKEN)).toBe(10_000);
  });

  it('whose answer is held back is announced with the end that holds when it leaves', async () => {
    await inUse.start({}, { nowMs: () => 0 });
    inUse.fake.script(TOKEN, {}, step.flood(5, { holdMs: 40 }));
    const answer = inUse.send(1);
    await inUse.fake.waitFor(({ arrivals }) => arrivals[0]?.verdict === 'flood');
    await inUse.fake.flood(TOKEN, 60);
    expect((await answer).body.parameters).toEqual({ retry_after: 60 });
  });
});
