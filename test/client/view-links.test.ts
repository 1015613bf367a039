import { expect, test } from 'vitest';
import { viewLinks } from '../../client/view-links.ts';

test('each link carries its query and its name, as the Web UI reads them', () => {
  const links = viewLinks('http://127.0.0.1:8233/', 'team a', Date.parse('2026-12-01T10:30:00Z'));
  for (const { name, query, url } of links) {
    const { origin, pathname, searchParams } = new URL(url);
    expect(origin + pathname).toBe('http://127.0.0.1:8233/namespaces/team%20a/workflows');
    expect([...searchParams]).toEqual([
      ['query', query],
      ['savedQuery', name],
    ]);
  }
  expect(links.map(({ query }) => query).slice(0, 3)).toEqual([
    'ReplyState="review" AND ExecutionStatus="Running"',
    'ReplyState="waiting" AND ExecutionStatus="Running" AND ReplySince<"2026-12-01T09:30:00.000Z"',
    'ReplyState="rejected" AND ReplySince>="2026-12-01T00:00:00.000Z"',
  ]);
});
