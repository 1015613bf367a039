import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { textContent } from '../../client/text-content.ts';
import { pigeon } from '../../examples/adding-a-service/pigeon.ts';
import { packageRoot } from '../../tools/temporal/package-root.ts';

const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');
const note = textContent(pigeon, 'dover', 'come home');

function means(httpStatus: number, body: unknown) {
  return pigeon.classify(note, {
    httpStatus,
    headers: {},
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

describe('the example of a fourth service', () => {
  test('is the file that the guide shows', () =>
    expect(read('docs/adding-a-service.md')).toContain(
      `\`\`\`ts\n${read('examples/adding-a-service/pigeon.ts')}\`\`\``,
    ));

  test('checks its content, and names what is wrong in the caller’s words', () => {
    expect(pigeon.check(note)).toEqual([]);
    const problems = pigeon.check(textContent(pigeon, 'Dover!', ''));
    expect(problems.map(({ field }) => pigeon.text.fieldName(field))).toEqual(['chat', 'text']);
  });

  test('writes its request', () =>
    expect(
      pigeon.request(note, {
        apiRoot: 'https://loft.example',
        token: 'ring-7',
        key: 'k',
        account: null,
        trace: 't',
      }),
    ).toEqual({
      url: 'https://loft.example/post',
      headers: { 'content-type': 'application/json', 'x-ring': 'ring-7' },
      body: '{"loft":"dover","note":"come home"}',
    }));

  test.each([
    [200, { took: 'p-1' }, 'sent'],
    [429, { waitSeconds: 3 }, 'flood'],
    [429, { waitSeconds: '3' }, 'held'],
    [400, { refused: 'too heavy' }, 'rejected'],
    [500, { took: 'p-1' }, 'unknown'],
    [200, {}, 'unknown'],
    [200, 'null', 'unknown'],
    [200, '<html>', 'unknown'],
  ])('HTTP %i %j is %s', (httpStatus, body, kind) => expect(means(httpStatus, body).kind).toBe(kind));

  test('repeats nothing of the note in what it tells of a refusal (invariant 8)', () => {
    const long = textContent(pigeon, 'dover', 'come home before the rain');
    const body = JSON.stringify({ refused: 'too heavy: "come home before the…"\n' });
    expect(pigeon.classify(long, { httpStatus: 400, headers: {}, body })).toEqual({
      kind: 'rejected',
      rejection: { kind: 'request', code: 400, description: 'too heavy: "[text]"' },
    });
  });
});
