import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReplyClient } from '../../client/index.ts';
import { Rig } from '../support/rig/rig.ts';

let rig: Rig;
let replies: ReplyClient;

beforeAll(async () => {
  const limits = { bot: [], chat: [{ limit: 1, perMs: 3000 }], group: [] };
  rig = await Rig.start({ bots: { place: { settings: { limits } } } });
  replies = new ReplyClient(rig.client, { keepOrder: false });
});
afterAll(() => rig.close());

describe('a reply that is cancelled while its worker asks for it', () => {
  it('gives up its place at once: the next of the chat does not wait for the lane to forget it', async () => {
    const send = (key: string) => replies.send({ bot: 'place', chat: 1, text: key }, { key });
    await send('first');
    await rig.fake.waitFor((fake) => fake.stored('place').length === 1);
    // The second waits for the chat's slot within its activity: no finding of it has told the workflow where.
    const second = await send('second');
    await rig.until('place', 'second', ({ state }) => state === 'sending');
    await waitForPlaces(1);
    expect(await second.cancel({ by: 'ana', reason: 'answered by hand' })).toMatchObject({
      kind: 'cancelled',
    });
    await send('third');
    await rig.fake.waitFor((fake) => fake.stored('place').length === 2, { timeoutMs: 15_000 });
    expect(rig.fake.stored('place').map(({ text }) => text)).toEqual(['first', 'third']);
  });
});

async function waitForPlaces(count: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if ((await rig.lane('place')).waiting === count) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`the lane has not ${count} places`);
}
