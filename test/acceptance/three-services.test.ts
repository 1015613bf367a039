import { afterAll, beforeAll, expect, it } from 'vitest';
import { ReplyClient } from '../../client/index.ts';
import type { ReplyRecord } from '../../domain/record.ts';
import { type FakeQivuna, startFakeQivuna } from '../support/fake-service/fake-qivuna.ts';
import {
  type FakeUnifyport,
  startFakeUnifyport,
  unifyportStep,
} from '../support/fake-service/fake-unifyport.ts';
import { duplicates, earlyArrivals, step } from '../support/fake-service/index.ts';
import * as qivunaStep from '../support/fake-service/qivuna-steps.ts';
import { Rig } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';

const account = 'acc_uni';
let qivuna: FakeQivuna;
let unifyport: FakeUnifyport;
let rig: Rig;

beforeAll(async () => {
  qivuna = await startFakeQivuna({ bots: { [Rig.tokenOf('qiv')]: { name: 'qiv' } } });
  unifyport = await startFakeUnifyport({
    accounts: { [account]: { name: 'uni', apiKey: Rig.tokenOf('uni') } },
  });
  const times = { httpTimeoutMs: 2500, connectTimeoutMs: 1000 };
  rig = await Rig.start({
    workers: 2,
    bots: {
      tele: { settings: times },
      qiv: { settings: { ...times, contract: 'qivuna', apiRoot: qivuna.apiRoot } },
      uni: {
        settings: {
          ...times,
          contract: 'unifyport',
          apiRoot: unifyport.apiRoot,
          accountId: account,
          heldPauseMs: 4000,
        },
      },
    },
  });
});

afterAll(async () => {
  for (const fake of [rig.fake, qivuna, unifyport]) {
    expect(fake.problems).toEqual([]);
    expect(duplicates(fake.stored())).toEqual([]);
  }
  await rig.close();
  await Promise.all([qivuna.stop(), unifyport.stop()]);
});

it('one drill over a bot of each service: a flood, a lost answer, all workers killed; each ends as its service allows', async () => {
  const replies = new ReplyClient(rig.client, {
    contracts: { tele: 'telegram', qiv: 'qivuna', uni: 'unifyport' },
  });
  const chatOf = (bot: string, chat: number): string => (bot === 'uni' ? `user:${chat}` : `${chat}`);
  const send = (bot: string, key: string, chat: number) =>
    replies.send({ bot, chat: chatOf(bot, chat), text: key }, { key });
  const bots = ['tele', 'qiv', 'uni'];

  // A lost answer each: stored, and never told.
  rig.fake.script('tele', { chat: 1 }, step.silence({ store: true }));
  qivuna.script('qiv', step.silence({ store: true }), { chat: 1 });
  unifyport.script('uni', step.silence({ store: true }), { chat: 'user:1' });
  // A refusal for flood each, as the service words it.
  rig.fake.script('tele', { chat: 2 }, step.flood(4));
  qivuna.script('qiv', qivunaStep.rateLimited(4), { chat: 2 });
  unifyport.script('uni', unifyportStep.tooManyRequests(4), { chat: 'user:2' });

  for (const bot of bots) await send(bot, 'lost', 1);
  const arrived = (): boolean =>
    [rig.fake.arrivals, qivuna.arrivals, unifyport.arrivals].every((arrivals) => arrivals.length > 0);
  await waitUntil(() => Promise.resolve(arrived()), {
    withinMs: 20_000,
    what: () => 'a request at each service',
  });
  for (const bot of bots) await send(bot, 'flood', 2);
  for (const bot of bots) await rig.until(bot, 'flood', ({ attempts }) => attempts.length > 0);
  await rig.restartWorkers();
  for (const bot of bots) for (const chat of [3, 4, 5]) await send(bot, `after-${chat}`, chat);

  const ended = (bot: string, key: string): Promise<ReplyRecord> =>
    rig.until(bot, key, ({ state }) => state === 'sent' || state === 'review', 60_000);
  for (const bot of bots)
    for (const chat of [3, 4, 5]) expect((await ended(bot, `after-${chat}`)).state).toBe('sent');
  expect(await ended('tele', 'lost')).toMatchObject({ state: 'review', review: { kind: 'unknown' } });
  expect(await ended('uni', 'lost')).toMatchObject({ state: 'review', review: { kind: 'unknown' } });
  expect(await ended('qiv', 'lost')).toMatchObject({ state: 'sent' });
  expect(await ended('tele', 'flood')).toMatchObject({ state: 'sent' });
  expect(await ended('qiv', 'flood')).toMatchObject({ state: 'sent' });
  expect(await ended('uni', 'flood')).toMatchObject({ state: 'review', review: { kind: 'held' } });

  const inFlight = { inFlightMs: 500 };
  expect(earlyArrivals(rig.fake.arrivals, rig.fake.deadlines, inFlight)).toEqual([]);
  expect(earlyArrivals(qivuna.arrivals as never, qivuna.deadlines, inFlight)).toEqual([]);
  expect(rig.fake.stored('tele')).toHaveLength(5);
  expect(qivuna.stored('qiv')).toHaveLength(5);
  expect(unifyport.stored('uni')).toHaveLength(4);
}, 150_000);
