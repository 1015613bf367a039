import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { step } from '../support/fake-service/index.ts';
import { Rig } from '../support/rig/rig.ts';
import { type CliEnd, documents, runCli } from './run-cli.ts';

let rig: Rig;
const folder = mkdtempSync(join(tmpdir(), 'replylane-cli-send-'));
beforeAll(async () => {
  rig = await Rig.start({ bots: { support: {} } });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await rig.close();
});

const cli = (args: readonly string[], stdin?: string): Promise<CliEnd> =>
  runCli(args, { env: rig.env(), cwd: folder, ...(stdin === undefined ? {} : { stdin }) });
const send = (...args: string[]): Promise<CliEnd> => cli(['send', '--bot', 'support', ...args]);
const texts = (): readonly (string | null)[] => rig.fake.stored().map(({ text }) => text);
const jsonLines = (...lines: unknown[]): string => lines.map((line) => JSON.stringify(line)).join('\n');

describe('send', () => {
  test('hands one reply over and says under which name', async () => {
    const end = await send('--chat', '1', '--text', 'hello', '--key', 'one');
    expect(end).toEqual({ code: 0, stdout: 'support/one  waiting\n', stderr: '' });
    const again = await send('--chat', '1', '--text', 'hello', '--key', 'one', '--wait', '--json');
    expect(again.code).toBe(0);
    expect(again.stderr).toMatch(/there before/);
    expect(documents(again)).toMatchObject([
      { id: 'support/one', state: 'sent', attempts: [{ outcome: 'sent' }] },
    ]);
    expect(texts()).toEqual(['hello']);
  });

  test('an option that is given twice is refused by its name', async () => {
    for (const [name, ...values] of [
      ['--chat', '1', '2'],
      ['--text', 'one', 'two'],
    ] as const) {
      const options = values.flatMap((value) => [name, value]);
      const end = await send('--chat', '1', '--text', 'x', ...options);
      expect(end).toMatchObject({ code: 2, stdout: '' });
      expect(end.stderr).toContain(`${name} is given twice`);
    }
  });

  test('says under which name it waits, for whoever breaks the wait off', async () => {
    const end = await send('--chat', '3', '--text', 'named', '--wait', '--json');
    const [document] = documents(end) as [{ id: string }];
    expect(end.stderr).toContain(`${document.id} is handed over`);
  });

  test('makes a key where none is given, and prints it', async () => {
    const [document] = documents(await send('--chat', '@Channel', '--text', 'random', '--json'));
    expect(document).toMatchObject({
      bot: 'support',
      key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      state: 'waiting',
      deduplicated: false,
    });
    expect(document?.['id']).toBe(`support/${String(document?.['key'])}`);
  });

  test('takes an expiry, a class and a predecessor', async () => {
    const extras = ['--expires-in', '1h', '--class', 'bulk', '--after', 'one'];
    expect((await send('--chat', '-100', '--text', 'all', '--key', 'all', ...extras, '--wait')).code).toBe(0);
    const history = await rig.handle('support', 'all').fetchHistory();
    const input = history.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
    const {
      class: sendClass,
      after,
      expiresAt,
      content,
    } = JSON.parse(String(input)) as Record<string, string>;
    expect({ sendClass, after, content }).toEqual({
      sendClass: 'bulk',
      after: 'one',
      content: { method: 'sendMessage', params: { chat_id: -100, text: 'all' } },
    });
    expect(Date.parse(expiresAt ?? '') - Date.now()).toBeGreaterThan(3_500_000);
  });

  test('T6: the same key with another text is refused with exit 4, and the first reply is untouched', async () => {
    await send('--chat', '6', '--text', 'the first', '--key', 't6', '--wait');
    const end = await send('--chat', '6', '--text', 'the second', '--key', 't6', '--json');
    expect(end).toMatchObject({ code: 4, stdout: '' });
    expect(end.stderr).toMatch(/support\/t6 was used before for other content/);
    expect(documents(await cli(['status', 'support/t6', '--json']))).toMatchObject([{ state: 'sent' }]);
    expect(texts()).toContain('the first');
    expect(texts()).not.toContain('the second');
  });

  test('--wait exits 6 under review, 1 for any other end than sent', async () => {
    rig.fake.script('support', { chat: 60 }, step.resetAfterBody({ store: true }));
    const review = await send('--chat', '60', '--text', 'perhaps', '--key', 'perhaps', '--wait');
    expect(review).toMatchObject({ code: 6, stdout: expect.stringMatching(/review \(unknown, attempt 1/) });
    rig.fake.script('support', { chat: 61 }, step.forbidden());
    const rejected = await send('--chat', '61', '--text', 'no', '--key', 'no', '--wait', '--json');
    expect(rejected.code).toBe(1);
    expect(documents(rejected)).toMatchObject([
      { state: 'rejected', rejection: { kind: 'permission', code: 403 } },
    ]);
  });
});

describe('what is wrong with a send is told with exit 2, and nothing is started', () => {
  test.each<[string, readonly string[], RegExp]>([
    [
      'an unknown bot',
      ['--bot', 'nobody', '--chat', '1', '--text', 'x'],
      /"nobody" is not a configured bot: use one of support/,
    ],
    ['no chat and no text', ['--bot', 'support'], /--chat, --text missing/],
    ['an empty key', ['--bot', 'support', '--chat', '1', '--text', 'x', '--key', ''], /key: must be a text/],
    ['an empty text', ['--bot', 'support', '--chat', '1', '--text', ' '], /text: is empty/],
    [
      'a text that is too long',
      ['--bot', 'support', '--chat', '1', '--text', 'x'.repeat(5000)],
      /text: has 5000 characters/,
    ],
    ['a chat that is none', ['--bot', 'support', '--chat', '12x', '--text', 'x'], /chat: must be digits/],
    [
      'a bad expiry',
      ['--bot', 'support', '--chat', '1', '--text', 'x', '--expires-in', 'soon'],
      /such as 90s, 15m, 1h/,
    ],
    [
      'an expiry of no time',
      ['--bot', 'support', '--chat', '1', '--text', 'x', '--expires-in', '0s'],
      /above zero/,
    ],
    ['a bad class', ['--bot', 'support', '--chat', '1', '--text', 'x', '--class', 'slow'], /reply, bulk/],
    ['an unknown option', ['--bot', 'support', '--nowhere', '1'], /unknown option '--nowhere'[^]*--help/],
    [
      'an address given twice',
      ['--bot', 'support', '--to', '1', '--chat', '1', '--text', 'x'],
      /--to and --chat are one thing/,
    ],
    ['a file and a chat', ['--file', 'x.jsonl', '--chat', '1'], /leave out --chat/],
    ['a file that is not there', ['--file', 'missing.jsonl'], /missing\.jsonl cannot be read \(ENOENT\)/],
  ])('%s', async (_, args, words) => {
    const end = await cli(['send', ...args]);
    expect(end).toMatchObject({ code: 2, stdout: '' });
    expect(end.stderr).toMatch(words);
  });

  test('a configuration that is bad or missing', async () => {
    const path = join(folder, 'bad.json');
    writeFileSync(path, '{ "bots": { "support": { "contract": "telegraph" } } }');
    const args = ['send', '--bot', 'support', '--chat', '1', '--text', 'x'];
    const bad = await runCli(args, { env: { ...rig.env(), REPLYLANE_CONFIG: path }, cwd: folder });
    expect(bad).toMatchObject({ code: 2, stdout: '' });
    expect(bad.stderr).toMatch(/bad\.json has 2 problems/);
    const missing = join(folder, 'nothing.json');
    const none = await runCli(args, { env: { ...rig.env(), REPLYLANE_CONFIG: missing }, cwd: folder });
    expect(none.code).toBe(2);
    expect(none.stderr).toMatch(/nothing\.json.*\n.*no such file/);
  });

  test('without a configuration, a bot that no worker has served; one that a worker serves is taken', async () => {
    const { REPLYLANE_CONFIG: _, ...env } = rig.env();
    const to = ['--chat', '80', '--text', 'x', '--key', 'no-config'];
    const unknown = await runCli(['send', '--bot', 'nobody', ...to], { env, cwd: folder });
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(/no configuration here/);
    const known = await runCli(['send', '--bot', 'support', ...to], { env, cwd: folder });
    expect(known).toMatchObject({ code: 0, stdout: 'support/no-config  waiting\n' });
  });
});

describe('send --file', () => {
  test('hands every line over, with progress on stderr; sent again, nothing is sent twice', async () => {
    const path = join(folder, 'replies.jsonl');
    const lines = [
      { bot: 'support', key: 'f1', chat: 301, text: 'f1' },
      {
        bot: 'support',
        key: 'f2',
        chat: '302',
        text: 'f2',
        class: 'bulk',
        expiresAt: '2099-01-01T00:00:00Z',
      },
      { bot: 'support', key: 'f3', content: { method: 'sendMessage', params: { chat_id: 303, text: 'f3' } } },
    ];
    writeFileSync(path, `\uFEFF${jsonLines(...lines)}\n\n`);
    const end = await cli(['send', '--file', path, '--json']);
    expect(end.code).toBe(0);
    expect(
      documents(end)
        .map(({ line, id, deduplicated }) => `${String(line)} ${String(id)} ${String(deduplicated)}`)
        .sort(),
    ).toEqual(['1 support/f1 false', '2 support/f2 false', '3 support/f3 false']);
    expect(end.stderr).toMatch(/3 of 3 handed over: 3 accepted, 0 there before \(\d+\.\d s, \d+\/s\)/);
    const again = await cli(['send', '--file', '-', '--wait', '--json'], jsonLines(...lines));
    expect(again.code).toBe(0);
    expect(
      documents(again)
        .map(({ id, state }) => `${String(id)} ${String(state)}`)
        .sort(),
    ).toEqual(['support/f1 sent', 'support/f2 sent', 'support/f3 sent']);
    expect(again.stderr).toMatch(/0 accepted, 3 there before/);
    for (const text of ['f1', 'f2', 'f3']) expect(texts().filter((sent) => sent === text)).toHaveLength(1);
  });

  test('names each bad line, and starts nothing', async () => {
    const lines = [
      JSON.stringify({ bot: 'support', key: 'good', chat: 1, text: 'good' }),
      '{"bot":"support",',
      JSON.stringify({ bot: 'support', key: 'empty', chat: 1, text: '' }),
      '[]',
      JSON.stringify({ bot: 'nobody', key: 'x', chat: 1, text: 'x' }),
      JSON.stringify({ bot: 'support', chat: 1, text: 'no key' }),
      JSON.stringify({ bot: 'support', key: 'good', chat: 1, text: 'other' }),
      JSON.stringify({ bot: 'support', key: 'late', chat: 1, text: 'x', expiresAt: 'tomorrow' }),
    ];
    const end = await cli(['send', '--file', '-'], lines.join('\n'));
    expect(end).toMatchObject({ code: 2, stdout: '' });
    for (const words of [
      'nothing was sent: 7 problems',
      'line 2: is not valid JSON',
      'line 3: text: is empty',
      'line 4: must be an object',
      'line 5: bot: "nobody" is not a configured bot',
      'line 6: key: must be a text',
      'line 7: key: is used for other content on line 1',
      'line 8: expiresAt: must be an instant',
    ]) {
      expect(end.stderr).toContain(words);
    }
    expect((await cli(['status', 'support/good'])).code).toBe(3);
  });

  test('a field that is given twice is no guess, nor are bytes that are no text', async () => {
    const twice = '{"bot":"support","key":"dj","chat":11,"text":"one","chat":12,"text":"two"}';
    const end = await cli(['send', '--file', '-'], twice);
    expect(end).toMatchObject({ code: 2, stdout: '' });
    expect(end.stderr).toContain('line 1: chat: is given twice');
    expect(end.stderr).toContain('line 1: text: is given twice');
    const file = join(folder, 'latin1.jsonl');
    const good = JSON.stringify({ bot: 'support', key: 'latin', chat: 1, text: 'x' });
    writeFileSync(file, Buffer.concat([Buffer.from(`${good}\n`), Buffer.from([0x22, 0xe9, 0x22])]));
    const bytes = await cli(['send', '--file', file]);
    expect(bytes).toMatchObject({ code: 2, stdout: '' });
    expect(bytes.stderr).toMatch(/nothing was sent: line 2 of .*latin1\.jsonl is not UTF-8/);
  });

  test('a key of other content is told by its line with exit 4, and the others go', async () => {
    await send('--chat', '9', '--text', 'mine', '--key', 'taken');
    const lines = jsonLines(
      { bot: 'support', key: 'taken', chat: 9, text: 'other' },
      { bot: 'support', key: 'free', chat: 10, text: 'free' },
    );
    const end = await cli(['send', '--file', '-'], lines);
    expect(end).toMatchObject({ code: 4, stdout: 'support/free  waiting\n' });
    expect(end.stderr).toMatch(/line 1: the key of support\/taken/);
    expect(end.stderr).toMatch(/1 with a key of other content/);
  });

  test('an empty file is done at once', async () => {
    const end = await cli(['send', '--file', '-'], '\n');
    expect(end).toMatchObject({ code: 0, stdout: '' });
    expect(end.stderr).toMatch(/0 of 0 handed over/);
  });
});
