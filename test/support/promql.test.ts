import { describe, expect, it } from 'vitest';
import { missingIn, parseScrape, selectorsIn } from './promql.ts';

const scrape = parseScrape(
  [
    '# TYPE replylane_replies gauge',
    'replylane_replies{bot="a",state="sent"} 3',
    'replylane_send_seconds_bucket{le="1",bot="a",contract="telegram"} 1',
    'replylane_worker_ready 1',
  ].join('\n'),
);

describe('what an expression asks of a scrape (the control of the test of dashboard and alerts)', () => {
  it('metrics are told from functions, groupings, ranges, strings and keywords', () => {
    const expression =
      'histogram_quantile(0.95, sum by (le, bot) (rate(replylane_send_seconds_bucket{bot=~"$bot", le="+Inf"}[$__rate_interval])))' +
      ' and on (bot) max_over_time(replylane_replies[5m]) > 1e3 or absent(replylane_worker_ready) == 0';
    expect(selectorsIn(expression).map(({ name }) => name)).toEqual([
      'replylane_send_seconds_bucket',
      'replylane_replies',
      'replylane_worker_ready',
    ]);
  });

  it.each([
    ['sum(replylane_replies{state="sent"})', []],
    ['sum by (bot, instance) (replylane_replies)', []],
    ['sum(replylane_reply{state="sent"})', ['replylane_reply']],
    ['rate(replylane_send_seconds_buckets[5m])', ['replylane_send_seconds_buckets']],
    ['sum(replylane_replies{stat="sent"})', ['replylane_replies{stat}']],
    ['sum(replylane_replies{state="send"})', ['replylane_replies{state="send"}']],
    ['sum by (bott) (replylane_replies)', ['by (bott)']],
    ['replylane_worker_ready > 0 and absent(replylane_workers_ready)', ['replylane_workers_ready']],
  ])('a misspelt metric, label or value is found: %s', (expression, missing) => {
    expect(missingIn(expression, scrape)).toEqual(missing);
  });
});
