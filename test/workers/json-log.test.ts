import { describe, expect, it } from 'vitest';
import type { Observation } from '../../activities/observe.ts';
import { jsonLog } from '../../workers/log/json-log.ts';

const attempt: Observation = {
  event: 'attempt',
  reply: 'support/upd-1',
  bot: 'support',
  contract: 'telegram',
  attempt: 1,
  outcome: 'sent',
  httpStatus: 200,
  progress: 'answered',
  ms: 48,
};

function logged(work: (log: ReturnType<typeof jsonLog>) => void): readonly string[] {
  const lines: string[] = [];
  work(jsonLog({ write: (line) => void lines.push(line) }));
  return lines;
}

function fields(line: string | undefined): Record<string, unknown> {
  const { at: _, ...rest } = JSON.parse(line ?? '{}') as Record<string, unknown>;
  return rest;
}

describe('the log in JSON', () => {
  it('one line is one change of state, with its instant and how grave it is', () => {
    const [line, ...more] = logged((log) => log.observe(attempt));
    expect(more).toEqual([]);
    expect(line).toMatch(/^\{"level":"info","at":"20\d\d-\d\d-\d\dT[\d:.]+Z",.*\}\n$/);
    expect(fields(line)).toEqual({ level: 'info', ...attempt });
  });

  it.each<[Observation, string]>([
    [{ ...attempt, outcome: 'unknown' }, 'warn'],
    [{ ...attempt, outcome: 'flood' }, 'info'],
    [{ event: 'lane_closed', bot: 'b', reason: 'flood', notBefore: null }, 'warn'],
    [{ event: 'lane_stopped', bot: 'b' }, 'warn'],
    [{ event: 'lane_opened', bot: 'b' }, 'info'],
    [{ event: 'no_attempt', reply: 'b/1', bot: 'b', why: 'expired' }, 'info'],
  ])('what a person must see is a warning: %j', (seen, level) => {
    expect(logged((log) => log.observe(seen)).map(fields)).toEqual([{ level, ...seen }]);
  });

  it('what is only measured is not told', () => {
    const lines = logged((log) => {
      log.observe({ event: 'claim', bot: 'b', verdict: 'go', ms: 3 });
      log.observe({ event: 'reports_kept', bot: 'b', count: 1 });
    });
    expect(lines).toEqual([]);
  });

  it('a sentence is a document; one that warns has that level', () => {
    const lines = logged((log) => {
      log.line('worker: "ready"\nindeed');
      log.line('warning: no token');
      log.line('it failed', 'error');
    });
    expect(lines.map(fields)).toEqual([
      { level: 'info', event: 'log', msg: 'worker: "ready"\nindeed' },
      { level: 'warn', event: 'log', msg: 'warning: no token' },
      { level: 'error', event: 'log', msg: 'it failed' },
    ]);
    for (const line of lines) expect(line.indexOf('\n')).toBe(line.length - 1);
  });

  it('a decision and a late proof pass unchanged; what only looks like a document does not', () => {
    const decision = '{"event":"decision","at":"2026-12-01T10:00:00.000Z","reply":"support/1"}';
    const lines = logged((log) => {
      log.line(decision);
      log.line('{"event":"decision", cut off');
    });
    expect(lines[0]).toBe(`${decision}\n`);
    expect(fields(lines[1])).toEqual({ level: 'info', event: 'log', msg: '{"event":"decision", cut off' });
  });
});
