import { describe, expect, it } from 'vitest';
import type { ReplyRecord } from '../../domain/record.ts';
import { parseConfig } from '../../config/load.ts';
import { demoConfig, demoEnvironment } from '../../tools/demo/demo-config.ts';
import { documentOf, verdictLine } from '../../tools/demo/document.ts';
import { readOptions } from '../../tools/demo/options.ts';
import { planReplies } from '../../tools/demo/plan.ts';
import { commandLine, decisionFor, workflowPage } from '../../tools/demo/review.ts';
import { createScreen } from '../../tools/demo/screen.ts';
import { type Glance, tableLine, tableRows } from '../../tools/demo/table.ts';

const glance: Glance = {
  elapsedMs: 12_340,
  counts: { waiting: 31, sent: 27, review: 1, cancelled: 1 },
  inFlight: 2,
  lastSecond: 5,
  closed: { until: '2026-12-01T10:00:04.250Z', leftMs: 2100, reason: 'flood' },
};

describe('the plan', () => {
  const planned = planReplies();

  it('is sixty replies to twelve chats, two of them groups, each key and text once', () => {
    expect(planned).toHaveLength(60);
    expect(new Set(planned.map(({ key }) => key)).size).toBe(60);
    expect(new Set(planned.map(({ text }) => text)).size).toBe(60);
    const chats = new Set(planned.map(({ chat }) => chat));
    expect(chats.size).toBe(12);
    expect([...chats].filter((chat) => chat < 0)).toHaveLength(2);
  });

  it('numbers each chat from 1 without a gap, and cancels one and lets one expire', () => {
    for (const chat of new Set(planned.map((reply) => reply.chat))) {
      const orders = planned.filter((reply) => reply.chat === chat).map(({ order }) => order);
      expect(orders).toEqual(orders.map((_, index) => index + 1));
    }
    const fates = planned.map(({ fate }) => fate).filter((fate) => fate !== 'sent');
    expect(fates.toSorted()).toEqual(['cancelled', 'expired']);
  });
});

describe('the configuration', () => {
  it('refuses a service that is not on this machine', () => {
    expect(() => demoConfig('https://api.telegram.org')).toThrow(/"api.telegram.org" is not loopback/);
    expect(() => demoConfig('http://10.0.0.7:8081')).toThrow(/not loopback/);
  });

  it('is one that a worker takes', () => {
    const { bots } = parseConfig(
      JSON.stringify(demoConfig('http://127.0.0.1:4000')),
      'replylane.config.json',
    );
    expect([...bots.keys()]).toEqual(['demo']);
  });

  it('takes no setting of Temporal or of the project from outside', () => {
    const outside = {
      PATH: '/bin',
      TEMPORAL_API_KEY: 'secret',
      TEMPORAL_ADDRESS: 'production:7233',
      REPLYLANE_CONFIG: 'mine.json',
    };
    const settings = { config: 'c.json', temporalConfig: 't.toml', address: '127.0.0.1:1' };
    const env = demoEnvironment(settings, outside);
    expect(env).toMatchObject({ PATH: '/bin', TEMPORAL_ADDRESS: '127.0.0.1:1', REPLYLANE_CONFIG: 'c.json' });
    expect(JSON.stringify(env)).not.toMatch(/secret|production|mine/);
  });
});

describe('the options', () => {
  it('are --json and --keep', () => {
    expect(readOptions([])).toEqual({ kind: 'run', options: { json: false, keep: false } });
    expect(readOptions(['--json', '--keep'])).toEqual({ kind: 'run', options: { json: true, keep: true } });
    expect(readOptions(['-h'])).toEqual({ kind: 'help' });
  });

  it.each([['--jsom'], ['--json=1'], ['60']])('are refused with the word that is wrong: %s', (word) => {
    const reading = readOptions([word]);
    expect(reading.kind === 'problem' && reading.problem).toContain(word.split('=')[0]);
  });
});

describe('the table', () => {
  it('shows each state, the lane, the rate and the time', () => {
    expect(tableRows(glance, 60)).toEqual([
      '  waiting  sent  under review  cancelled  expired  of 60',
      '       31    27             1          1        0',
      '  lane     closed until 10:00:04.250 UTC, 2.1 s from now (flood)',
      '  service  5 requests in the last second, 2 in flight',
      '  elapsed  12.3 s',
    ]);
    expect(tableRows({ ...glance, closed: null }, 60)[2]).toBe('  lane     open');
  });

  it('is one line where there is no terminal', () => {
    expect(tableLine(glance)).toMatch(
      /^waiting 31, sent 27, under review 1, .*lane closed until .*5 requests in the last second$/,
    );
    const written: string[] = [];
    const screen = createScreen({ write: (text) => written.push(text) });
    screen.follow(() => glance, 60);
    screen.say('a line', 3000);
    screen.freeze();
    expect(written.join('')).not.toContain('\u001B');
    expect(written).toContain('  3.0 s  a line\n');
  });

  it('is drawn again in place on a terminal, below the lines that stay, and no row is wider than it', () => {
    const terminal = new FakeTerminal(30);
    const screen = createScreen(terminal);
    screen.say('first');
    screen.follow(() => glance, 60);
    screen.say('second');
    screen.freeze();
    screen.say('third');
    const [first, second, gap, headings, ...rest] = terminal.lines;
    expect([first, second, gap]).toEqual(['first', 'second', '']);
    expect(headings).toBe('  waiting  sent  under review'.slice(0, 29));
    expect(rest.at(-1)).toBe('third');
    expect(rest.filter((line) => line.includes('elapsed'))).toHaveLength(1);
  });
});

describe('a review', () => {
  const [planned] = planReplies();
  const record = {
    id: `demo/${planned?.key}`,
    bot: 'demo',
    key: planned?.key,
    review: { attempt: 2 },
  } as ReplyRecord;
  const fakeWith = (texts: readonly string[]) => ({
    stored: () => texts.map((text, index) => ({ text, messageId: 501 + index })),
  });

  it('is decided by what stands in the chat', () => {
    const found = decisionFor(record, planReplies(), fakeWith([planned?.text ?? '']));
    expect(found.decision).toBe('sent');
    expect(found.args).toEqual(
      expect.arrayContaining(['--decision', 'sent', '--message-id', '501', '--attempt', '2']),
    );
    const missing = decisionFor(record, planReplies(), fakeWith([]));
    expect(missing.decision).toBe('not_sent');
    expect(missing.args).not.toContain('--message-id');
  });

  it('is shown as the line that a person would type', () => {
    expect(commandLine(['review', 'decide', 'demo/upd-1', '--reason', "it's there"], '127.0.0.1:7')).toBe(
      `TEMPORAL_ADDRESS=127.0.0.1:7 node bin/replylane.mjs review decide demo/upd-1 --reason 'it'\\''s there'`,
    );
    expect(workflowPage('http://127.0.0.1:8', { workflowId: 'reply:demo:upd-1', runId: 'r' })).toBe(
      'http://127.0.0.1:8/namespaces/default/workflows/reply%3Ademo%3Aupd-1/r/history',
    );
  });
});

it('names the failing checks in its last line', () => {
  const check = { name: 'x', title: 'windows kept', ok: false, figure: '', numbers: {} };
  const found = documentOf({
    elapsedMs: 41_234,
    server: { address: 'a', webUi: 'w' },
    endings: new Map([['k', 'sent']]),
    checks: [check, { ...check, title: 'nothing lost', ok: true }],
    control: [],
    decided: [],
  });
  expect(found).toMatchObject({ ok: false, failed: ['windows kept'], endings: { sent: 1 } });
  expect(verdictLine(found)).toBe('FAILED, 1 of 2 checks: windows kept (41.2 s).');
});

/** Understands what the screen uses of a terminal: new lines, cursor up, erase below. */
class FakeTerminal {
  readonly isTTY = true;
  readonly columns: number;
  lines: string[] = [];
  #row = 0;

  constructor(columns: number) {
    this.columns = columns;
  }

  write(text: string): void {
    if (text.startsWith('\u001B[')) {
      expect(text).toMatch(/^.\[\d+A.\[0J$/);
      this.#row -= Number.parseInt(text.slice(2), 10);
      this.lines = this.lines.slice(0, this.#row);
      return;
    }
    for (const line of text.split('\n').slice(0, -1)) {
      this.lines[this.#row] = line;
      this.#row += 1;
    }
  }
}
