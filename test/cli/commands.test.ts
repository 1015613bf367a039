import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../tools/temporal/free-port.ts';
import { step } from '../support/fake-service/index.ts';
import { Rig, textReply } from '../support/rig/rig.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type CliEnd, documents, runCli, startCli } from './run-cli.ts';

const who = ['--by', 'ann', '--reason', 'a test'];
let rig: Rig;
const folder = mkdtempSync(join(tmpdir(), 'replylane-cli-'));
beforeAll(async () => {
  rig = await Rig.start({ bots: { support: {}, paused: {}, doubt: {}, many: {} } });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await rig.close();
});

const cli = (...args: string[]): Promise<CliEnd> => runCli(args, { env: rig.env(), cwd: folder });

/** A reply under review: the service took the message, and the answer was lost. */
async function doubtful(bot: string, key: string, chat: number): Promise<void> {
  rig.fake.script(bot, { chat }, step.resetAfterBody({ store: true }));
  await rig.start(textReply(bot, key, chat));
  await rig.until(bot, key, ({ state }) => state === 'review');
}

async function until(args: string[], wanted: (end: CliEnd) => boolean): Promise<CliEnd> {
  let last: CliEnd = { code: -1, stdout: '', stderr: '' };
  await waitUntil(async () => wanted((last = await cli(...args))), {
    withinMs: 20_000,
    what: () => `${args.join(' ')}, last ${JSON.stringify(last)}`,
  });
  return last;
}

describe('status and list', () => {
  test('show one reply, and all of a state', async () => {
    await rig.start(textReply('support', 's1', 1));
    await rig.result('support', 's1');
    const [record] = documents(await cli('status', 'support/s1', '--json'));
    expect(record).toEqual(JSON.parse(JSON.stringify(await rig.result('support', 's1'))));
    expect(Object.keys(record ?? {})).toEqual([
      'id',
      'bot',
      'key',
      'workflowId',
      'state',
      'waiting',
      'review',
      'rejection',
      'message',
      'decision',
      'lateProof',
      'attempts',
    ]);
    expect((await cli('status', 'support/s1')).stdout).toMatch(
      /^support\/s1 {2}sent\n {2}message id: \d+\n {2}attempt 1: sent at /,
    );
    await until(['list', '--state', 'sent', '--json'], (end) =>
      documents(end).some(({ id }) => id === 'support/s1'),
    );
    expect((await cli('list', '--bot', 'support')).stdout).toMatch(
      /^REPLY +STATE +ATTEMPTS\nsupport\/s1 +sent +1\n$/,
    );
    expect(await cli('list', '--bot', 'nobody', '--json')).toMatchObject({ code: 0, stdout: '' });
  });

  test('a reply that is not there exits 3; a name that is none, or a state, 2', async () => {
    expect(await cli('status', 'support/nothing', '--json')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/no reply support\/nothing/),
    });
    expect(await cli('status', 'nothing')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/<bot>\/<key>/),
    });
    expect((await cli('status')).code).toBe(2);
    expect(await cli('list', '--state', 'asleep')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/waiting, sending/),
    });
    expect((await cli('list', '--limit', '0')).code).toBe(2);
  });
});

describe('cancel', () => {
  test('one: cancelled exits 0, too late 4, not found 3, unsigned 2', async () => {
    await cli('lane', 'pause', 'paused', ...who);
    await rig.start(textReply('paused', 'c1', 1));
    const end = await cli('cancel', 'paused/c1', ...who, '--json');
    expect(end.code).toBe(0);
    expect(documents(end)).toMatchObject([
      { kind: 'cancelled', reply: { state: 'cancelled', decision: { by: 'ann' } } },
    ]);
    await rig.start(textReply('support', 'c2', 2));
    await rig.result('support', 'c2');
    const late = await cli('cancel', 'support/c2', ...who);
    expect(late).toMatchObject({ code: 4, stdout: expect.stringMatching(/^too late: support\/c2 {2}sent/) });
    expect((await cli('cancel', 'support/nothing', ...who)).code).toBe(3);
    expect(await cli('cancel', 'support/c2')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--by/),
    });
    expect((await cli('cancel', ...who)).code).toBe(2);
    expect((await cli('cancel', 'support/c2', '--chat', '1', ...who)).code).toBe(2);
  });

  test('a reply under review is told how to decide it', async () => {
    await doubtful('doubt', 'c3', 3);
    const end = await cli('cancel', 'doubt/c3', ...who);
    expect(end.code).toBe(4);
    expect(end.stderr).toMatch(/replylane review decide doubt\/c3 --attempt 1/);
  });

  test('all of a chat', async () => {
    for (const key of ['d1', 'd2']) await rig.start(textReply('paused', key, 40));
    await rig.start(textReply('paused', 'd3', 41));
    const end = await cli('cancel', '--bot', 'paused', '--chat', '40', ...who, '--json');
    expect(end.code).toBe(0);
    expect(
      documents(end)
        .map(({ reply }) => (reply as { key: string }).key)
        .sort(),
    ).toEqual(['d1', 'd2']);
    expect(end.stderr).toMatch(/2 cancelled, 0 requested, 0 too late/);
    expect(documents(await cli('status', 'paused/d3', '--json'))).toMatchObject([{ state: 'waiting' }]);
    expect((await cli('cancel', '--bot', 'paused', '--chat', '?', ...who)).code).toBe(2);
  });
});

describe('review', { timeout: 240_000 }, () => {
  test('list shows no destination and no text, show has the evidence, and content only on request', async () => {
    await rig.start(textReply('doubt', 'before', 9));
    await doubtful('doubt', 'r1', 987654);
    const list = await until(['review', 'list', '--bot', 'doubt', '--kind', 'unknown', '--json'], (end) =>
      documents(end).some(({ key }) => key === 'r1'),
    );
    expect(list.stdout).not.toContain('987654');
    const [first] = documents(list);
    expect(first).toMatchObject({ contract: 'telegram', ageSeconds: expect.any(Number) });
    const elsewhere = { ...rig.env(), REPLYLANE_CONFIG: join(folder, 'none.json') };
    writeFileSync(
      elsewhere.REPLYLANE_CONFIG,
      '{ "bots": { "other": { "contract": "telegram", "tokenEnv": "T" } } }',
    );
    const unknown = await runCli(['review', 'list', '--bot', 'doubt', '--json'], {
      env: elsewhere,
      cwd: folder,
    });
    expect(documents(unknown)[0]).toMatchObject({ contract: null });
    const table = await cli('review', 'list');
    expect(table.stdout).toMatch(/^REPLY +CONTRACT +AGE +ATTEMPTS +DOUBT\n/);
    expect(table.stdout).toMatch(/doubt\/r1 +telegram +\d+ s +1 +unknown/);
    expect(table.code).toBe(0);
    expect((await cli('review', 'list', '--fail-if-any')).code).toBe(6);
    expect(await cli('review', 'list', '--kind', 'budget', '--fail-if-any')).toMatchObject({
      code: 0,
      stdout: '',
    });
    const show = await cli('review', 'show', 'doubt/r1', '--json');
    expect(documents(show)).toMatchObject([
      { state: 'review', review: { kind: 'unknown' }, contentHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    expect(show.stdout).not.toContain('987654');
    expect((await cli('review', 'show', 'doubt/r1', '--show-content')).stdout).toContain('987654');
    expect((await cli('review', 'show', 'doubt/nothing')).code).toBe(3);
  });

  test('decide ends it; a stale or late decision is refused with exit 4 and the state now', async () => {
    await doubtful('doubt', 'r2', 51);
    const decide = (attempt: string, decision: string): Promise<CliEnd> =>
      cli('review', 'decide', 'doubt/r2', '--attempt', attempt, '--decision', decision, ...who, '--json');
    const stale = await decide('7', 'sent');
    expect(stale).toMatchObject({ code: 4, stdout: '' });
    expect(stale.stderr).toMatch(/doubt\/r2 is review now.*attempt 1, not 7/);
    const done = await decide('1', 'not_sent');
    expect(done.code).toBe(0);
    expect(documents(done)).toMatchObject([{ state: 'not_sent', decision: { by: 'ann', reason: 'a test' } }]);
    expect(await decide('1', 'resend')).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/not_sent now/),
    });
  });

  test('decide takes no half a decision', async () => {
    const base = ['review', 'decide', 'doubt/r1'];
    expect((await cli(...base, '--decision', 'sent', ...who)).stderr).toMatch(/--attempt missing/);
    expect((await cli(...base, '--attempt', '1', ...who)).code).toBe(2);
    expect((await cli(...base, '--attempt', '1', '--decision', 'maybe', ...who)).code).toBe(2);
    expect((await cli(...base, '--attempt', '1', '--decision', 'sent')).code).toBe(2);
    const messageId = ['--decision', 'resend', '--message-id', '1'];
    expect(await cli(...base, '--attempt', '1', ...messageId, ...who)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/messageId/),
    });
  });

  test('decide --all asks first, and counts; an empty match does nothing', async () => {
    for (const [at, key] of ['m1', 'm2', 'm3'].entries()) await doubtful('many', key, 60 + at);
    await until(['review', 'list', '--bot', 'many', '--json'], (end) => documents(end).length === 3);
    const all = ['review', 'decide', '--all', '--bot', 'many', '--decision', 'not_sent', ...who];
    const unasked = await cli(...all);
    expect(unasked).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/3 replies[^]*add --yes/),
    });
    expect(documents(await cli('status', 'many/m1', '--json'))).toMatchObject([{ state: 'review' }]);
    const none = await cli(...all, '--kind', 'held', '--yes');
    expect(none).toMatchObject({ code: 0, stderr: expect.stringMatching(/nothing was decided/) });
    const done = await cli(...all, '--yes', '--json');
    expect(done.code).toBe(0);
    expect(documents(done)).toMatchObject([
      { state: 'completed', total: 3, done: 3, skipped: 0, failed: 0, notDone: [] },
    ]);
    const [{ ids } = { ids: [] }] = documents(done);
    for (const key of ['m1', 'm2', 'm3']) {
      expect(documents(await cli('status', `many/${key}`, '--json'))).toMatchObject([
        { state: 'not_sent', decision: { by: 'ann', door: 'bulk', via: 'cli', bulk: (ids as string[])[0] } },
      ]);
    }
    expect((await cli('review', 'bulk', ...(ids as string[]))).stdout).toBe(
      '3 decided, 0 skipped, 0 failed\n',
    );
    expect((await cli('review', 'bulk', 'bulk-decision:none')).code).toBe(3);
    expect((await cli('review', 'bulk', 'many/m1')).code).toBe(2);
  });

  test('with no worker up: decide and cancel are only requested, and say so; decide --all is left running by Ctrl-C', async () => {
    await cli('lane', 'pause', 'paused', ...who);
    await rig.start(textReply('paused', 'w3', 90));
    for (const [at, key] of ['w1', 'w2'].entries()) await doubtful('many', key, 80 + at);
    await until(['review', 'list', '--bot', 'many', '--json'], (end) => documents(end).length === 2);
    await rig.killWorkers();
    const one = ['review', 'decide', 'many/w1', '--attempt', '1', '--decision', 'not_sent', ...who];
    const requested = await cli(...one, '--json');
    expect(requested).toMatchObject({ code: 0, stderr: expect.stringMatching(/requested only/) });
    expect(documents(requested)).toMatchObject([{ kind: 'requested', id: 'many/w1', state: 'review' }]);
    const cancelled = await cli('cancel', 'paused/w3', ...who);
    expect(cancelled).toMatchObject({ code: 0, stderr: expect.stringMatching(/no worker has confirmed it/) });
    expect(cancelled.stdout).toMatch(/^requested: paused\/w3 {2}waiting/);
    const all = [
      'review',
      'decide',
      '--all',
      '--bot',
      'many',
      '--decision',
      'sent',
      ...who,
      '--yes',
      '--json',
    ];
    const running = startCli(all, { env: rig.env(), cwd: folder });
    await waitUntil(() => running.stderr().includes('started: it goes on'), {
      withinMs: 30_000,
      what: () => running.stderr(),
    });
    running.child.kill('SIGINT');
    const left = await running.ended;
    expect(left).toMatchObject({ code: 1, stdout: '' });
    const [, id = ''] = /left running.*review bulk (bulk-decision:[\w-]+)/.exec(left.stderr) ?? [];
    await rig.addWorker();
    const end = await cli('review', 'bulk', id, '--json');
    expect(end).toMatchObject({ code: 4, stderr: expect.stringMatching(/many\/w1: skipped: /) });
    expect(documents(end)).toMatchObject([{ state: 'completed', total: 2, done: 1, skipped: 1 }]);
    expect(documents(await cli('status', 'many/w1', '--json'))).toMatchObject([
      { state: 'not_sent', decision: { door: 'signal', via: 'cli' } },
    ]);
    expect(documents(await cli('status', 'many/w2', '--json'))).toMatchObject([{ state: 'sent' }]);
    expect(await rig.result('paused', 'w3')).toMatchObject({ state: 'cancelled', attempts: [] });
  });
});

describe('lane', { timeout: 240_000 }, () => {
  test('show, pause, extend, override and resume answer with the lane', async () => {
    const [lane] = documents(await cli('lane', 'show', 'support', '--json'));
    for (const field of [
      'bot',
      'notBefore',
      'reason',
      'policy',
      'stopped',
      'paused',
      'waiting',
      'outstanding',
      'sent',
      'floods',
      'lastFlood',
    ]) {
      expect(lane).toHaveProperty(field);
    }
    expect((await cli('lane', 'pause', 'support', ...who)).stdout).toMatch(/paused since .* by ann: a test/);
    expect((await cli('lane', 'extend', 'support', '--seconds', '600', ...who)).stdout).toMatch(
      /closed until/,
    );
    expect(documents(await cli('lane', 'override', 'support', ...who, '--json'))).toMatchObject([
      { notBefore: null },
    ]);
    expect(documents(await cli('lane', 'resume', 'support', ...who, '--json'))).toMatchObject([
      { paused: null },
    ]);
  });

  test('of a bot that is not there exits 3; an act unsigned, or with a bad time, 2', async () => {
    expect(await cli('lane', 'show', 'nobody')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/"nobody" has no lane/),
    });
    expect((await cli('lane', 'pause', 'nobody', ...who)).code).toBe(3);
    expect((await cli('lane', 'pause', 'support')).code).toBe(2);
    expect((await cli('lane', 'extend', 'support', '--seconds', '1.5', ...who)).code).toBe(2);
    expect((await cli('lane', 'show', 'No Bot')).code).toBe(2);
  });
});

describe('config check', () => {
  test('says what is right, and warns of a token that is not here', async () => {
    const end = await cli('config', 'check', '--json');
    expect(end.code).toBe(0);
    expect(documents(end)).toMatchObject([
      { bots: [{ name: 'support', contract: 'telegram', token: true }, {}, {}, {}] },
    ]);
    const { RIG_TOKEN_SUPPORT: _, ...env } = rig.env();
    const warned = await runCli(['config', 'check'], { env, cwd: folder });
    expect(warned.code).toBe(0);
    expect(warned.stderr).toMatch(/warning: no worker here can send for support: .*RIG_TOKEN_SUPPORT/);
    for (const value of Object.values(rig.env())) {
      if (value.includes('TEST-TOKEN')) expect(end.stdout + end.stderr + warned.stderr).not.toContain(value);
    }
  });

  test('warns of two bots with one and the same token', async () => {
    const path = join(folder, 'twice.json');
    const bot = { contract: 'telegram', tokenEnv: 'RIG_TOKEN_SUPPORT' };
    writeFileSync(path, JSON.stringify({ bots: { one: bot, two: bot } }));
    const env = { ...rig.env(), REPLYLANE_CONFIG: path };
    const end = await runCli(['config', 'check', '--json'], { env, cwd: folder });
    expect(end.stderr).toMatch(/warning: bots\.one and bots\.two have one and the same token/);
    expect(documents(end)).toMatchObject([{ warnings: [expect.stringMatching(/one and the same/)] }]);
    expect(end.code).toBe(0);
    expect(end.stdout + end.stderr).not.toContain(Rig.tokenOf('support'));
  });

  test('tells all problems of a bad one with exit 2', async () => {
    const path = join(folder, 'bad.json');
    writeFileSync(path, '{ "bots": { "Bad Name": { "contract": "telegram" } }, "extra": 1 }');
    const end = await runCli(['config', 'check'], { env: { REPLYLANE_CONFIG: path }, cwd: folder });
    expect(end).toMatchObject({ code: 2, stdout: '' });
    expect(end.stderr).toMatch(/3 problems/);
  });
});

describe('the command line itself', () => {
  test('wrong use exits 2 with a hint, help exits 0', async () => {
    expect((await cli()).code).toBe(2);
    expect(await cli('sned')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/Did you mean send/),
    });
    expect((await cli('review')).code).toBe(2);
    expect(await cli('send', '--help')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/--expires-in/),
    });
    expect((await cli('--help')).stdout).toMatch(/Exit codes: 0 done/);
  });

  test('Temporal that does not answer is exit 5 within seconds, with its address', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const env = { ...rig.env(), TEMPORAL_ADDRESS: address };
    const to = ['--chat', '1', '--text', 'x'];
    const commands = [['list'], ['send', '--bot', 'support', ...to], ['lane', 'show', 'support'], ['worker']];
    for (const args of commands) {
      const startedMs = performance.now();
      const end = await runCli([...args, '--json'], { env, cwd: folder });
      expect(end, args.join(' ')).toMatchObject({ code: 5, stdout: '' });
      expect(end.stderr).toContain(address);
      expect(performance.now() - startedMs).toBeLessThan(20_000);
    }
    const bad = await runCli(['send', '--bot', 'support', '--chat', '1', '--text', ''], { env, cwd: folder });
    expect(bad.code).toBe(2);
  });
});
