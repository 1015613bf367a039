import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  botNameProblem,
  contentHash,
  cooldownWorkflowId,
  keyProblem,
  maxKeyLength,
  parseCooldownWorkflowId,
  parseReplyName,
  parseReplyWorkflowId,
  plainKey,
  replyName,
  replyWorkflowId,
  shortHash,
  updateWorkflowId,
} from '../../domain/ids.ts';

const hashOf = (key: string): string => `sha256-${createHash('sha256').update(key, 'utf8').digest('hex')}`;

const botNames = fc.stringMatching(/^[a-z0-9-]{1,32}$/);
const plainKeys = fc.stringMatching(/^[\x21-\x7e]{1,200}$/);
const anyKeys = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
  .filter((key) => !keyProblem(key));

describe('keys', () => {
  test.each(['upd-1044-reply', 'k', 'a'.repeat(200), 'a:b/c', '~!@#$%^&*()'])(
    '%s stands for itself',
    (key) => {
      expect(plainKey(key)).toBe(key);
    },
  );

  test.each(['a b', 'caf\u00e9', 'a\nb', '\u{1f600}', 'a'.repeat(201), ' ', '\u00a0'])(
    'K6: %j is hashed, the same way every time',
    (key) => {
      expect(plainKey(key)).toBe(hashOf(key));
      expect(plainKey(key)).toBe(plainKey(key));
    },
  );

  test('K6: a key of 65 characters is accepted as it is', () => {
    expect(keyProblem('k'.repeat(65))).toBeUndefined();
    expect(plainKey('k'.repeat(65))).toHaveLength(65);
  });

  test('the longest key is one', () => expect(keyProblem('a'.repeat(maxKeyLength))).toBeUndefined());

  test('what is no key says so', () => {
    for (const key of ['', 7, null, undefined, 'a'.repeat(maxKeyLength + 1), '\ud800']) {
      expect(keyProblem(key)).toMatch(/must/);
    }
  });

  test('invariant 1: the plain form is its own plain form, fits an id, and differs where keys differ', () => {
    fc.assert(
      fc.property(anyKeys, anyKeys, (key, other) => {
        expect(plainKey(plainKey(key))).toBe(plainKey(key));
        expect(replyWorkflowId({ bot: 'b'.repeat(32), key }).length).toBeLessThanOrEqual(255);
        if (key !== other) expect(plainKey(key)).not.toBe(plainKey(other));
      }),
    );
  });
});

describe('bots', () => {
  test.each(['a', 'support-2', '0', '-', 'x'.repeat(32)])('%s is a name', (bot) => {
    expect(botNameProblem(bot)).toBeUndefined();
  });

  test.each(['', 'Support', 'a b', 'a/b', 'a:b', 'x'.repeat(33), 'b\u00f6t', 'a\n', 7, null])(
    '%j is none',
    (bot) => {
      expect(botNameProblem(bot)).toMatch(/must be/);
    },
  );
});

describe('names and Workflow Ids', () => {
  test('stand in histories for ever', () => {
    expect(replyWorkflowId({ bot: 'support', key: 'upd-1:a' })).toBe('reply:support:upd-1:a');
    expect(cooldownWorkflowId('support')).toBe('cooldown:support');
    expect(parseCooldownWorkflowId('cooldown:support')).toBe('support');
    for (const other of ['cooldown:', 'cooldown:A', 'reply:support:1', 'x:cooldown:a'])
      expect(parseCooldownWorkflowId(other)).toBeUndefined();
    expect(parseReplyWorkflowId('reply:support:upd-1:a')).toEqual({ bot: 'support', key: 'upd-1:a' });
    expect(shortHash('upd-1', 12)).toBe('sn9PL2GTs8TO');
    expect(contentHash({ method: 'sendMessage', params: { text: 'é', chat_id: 1 } })).toBe(
      'aab27d18543de0e9224d7caa2ccad88651ef6699b639893a149188b3e98babb1',
    );
  });

  test('the hash of a content is that of its canonical form', () => {
    const params = { f: 3, e: 2, b: { d: 1, c: null }, a: [1, [2, 'x'], {}] };
    expect(contentHash({ method: 'm', params })).toBe(
      'fef21e93bb593a9cd1d555c8e0be6d0b98200d59e528ef43945374dabbea7178',
    );
  });

  test.each(['support', '/k', 'Support/k', 'support/', 'a b/k', ''])('%j is no name', (name) =>
    expect(parseReplyName(name)).toBeUndefined(),
  );

  test('a name round-trips, slashes in the key included', () => {
    fc.assert(
      fc.property(botNames, anyKeys, (bot, key) => {
        expect(parseReplyName(replyName({ bot, key }))).toEqual({ bot, key });
      }),
    );
  });

  test('the Workflow Id of an update is that of no other bot or update, of no reply and of no lane, and fits', () => {
    const bots = fc.oneof(fc.constantFrom('reply', 'cooldown', 'update', 'a', 'a-1'), botNames);
    const ids = fc.oneof(fc.constantFrom('1', ':1', 'a:1', 'update:a:1'), fc.nat().map(String), anyKeys);
    fc.assert(
      fc.property(bots, ids, bots, ids, (bot, id, otherBot, otherId) => {
        const workflowId = updateWorkflowId({ bot, id });
        expect(workflowId).toMatch(/^[\x21-\x7e]{1,255}$/);
        if (bot !== otherBot || id !== otherId)
          expect(updateWorkflowId({ bot: otherBot, id: otherId })).not.toBe(workflowId);
        expect(parseReplyWorkflowId(workflowId)).toBeUndefined();
        expect(parseCooldownWorkflowId(workflowId)).toBeUndefined();
      }),
    );
  });

  test('a Workflow Id gives bot and plain key back, and these the same Workflow Id', () => {
    fc.assert(
      fc.property(botNames, fc.oneof(plainKeys, anyKeys), (bot, key) => {
        const workflowId = replyWorkflowId({ bot, key });
        const parsed = parseReplyWorkflowId(workflowId);
        expect(parsed).toEqual({ bot, key: plainKey(key) });
        expect(replyWorkflowId(parsed!)).toBe(workflowId);
      }),
    );
  });

  test('nothing else is taken for the Workflow Id of a reply', () => {
    for (const id of [
      'reply:a',
      'reply:a/b',
      'reply:a:',
      'reply::k',
      'reply:A:k',
      'cooldown:a',
      'x:reply:a:k',
      'reply:a:b c',
      'reply:a:k\n',
      'reply:a:\nk',
      'reply:a b:k',
      '',
    ]) {
      expect(parseReplyWorkflowId(id)).toBeUndefined();
    }
    fc.assert(
      fc.property(
        fc.string().map((text) => `reply:${text}`),
        (id) => {
          const parsed = parseReplyWorkflowId(id);
          if (parsed) expect(replyWorkflowId(parsed)).toBe(id);
        },
      ),
    );
  });
});

describe('invariant 1: the hash of a content', () => {
  const params = fc.dictionary(fc.string(), fc.jsonValue());

  /** The same value with the fields of every object the other way round. */
  function turned(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(turned);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, field]) => [name, turned(field)]),
    );
  }

  test('does not depend on the order of fields, nor on fields that JSON leaves out', () => {
    fc.assert(
      fc.property(params, (value) => {
        const hash = contentHash({ method: 'sendMessage', params: value });
        expect(contentHash({ method: 'sendMessage', params: turned(value) })).toBe(hash);
        expect(contentHash({ method: 'sendMessage', params: { ...value, '\u0000absent': undefined } })).toBe(
          hash,
        );
        expect(contentHash(JSON.parse(JSON.stringify({ method: 'sendMessage', params: value })))).toBe(hash);
      }),
    );
  });

  test('depends on everything else', () => {
    const text = (value: unknown): string =>
      JSON.stringify(turned(turned(JSON.parse(JSON.stringify(value)))));
    fc.assert(
      fc.property(params, params, (a, b) => {
        const same = contentHash({ method: 'm', params: a }) === contentHash({ method: 'm', params: b });
        if (same) expect(JSON.parse(text(a))).toEqual(JSON.parse(text(b)));
      }),
    );
    const all = [
      { method: 'sendMessage', params: {} },
      { method: 'sendPhoto', params: {} },
      { method: 'sendMessage', params: { chat_id: 1 } },
      { method: 'sendMessage', params: { chat_id: '1' } },
      { method: 'sendMessage', params: { chat_id: 1, text: '' } },
      { method: 'sendMessage', params: { chat_id: 1, text: null } },
      { method: 'sendMessage', params: { entities: [1, 2] } },
      { method: 'sendMessage', params: { entities: [2, 1] } },
      { method: 'sendMessage', params: { entities: [[1], 2] } },
      { method: 'sendMessage', params: { a: { b: 1 } } },
      { method: 'sendMessage', params: { a: '{"b":1}' } },
      { method: 'sendMessage', params: { 'a":1,"b': 1 } },
      { method: 'sendMessage', params: { at: new Date(0) } },
      { method: 'sendMessage', params: { at: new Date(1) } },
    ];
    expect(new Set(all.map(contentHash)).size).toBe(all.length);
  });
});

test('short hashes have their length, are safe in text, and hold apart what differs', () => {
  const keys = Array.from({ length: 20_000 }, (_, i) => `upd-${i}-reply`);
  expect(new Set(keys.map((key) => shortHash(key, 12))).size).toBe(keys.length);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(shortHash(text, 6)).toMatch(/^[\w-]{6}$/);
      expect(shortHash(text, 12)).toMatch(/^[\w-]{12}$/);
    }),
  );
});
