import { describe, expect, test } from 'vitest';
import { telegram } from '../../contracts/telegram.ts';
import type { Content } from '../../contracts/contract.ts';
import { each, message } from './telegram-samples.ts';

const fields = (content: unknown) => telegram.check(content as Content).map(({ field }) => field);

describe('parameters', () => {
  test('known ones of their type, and unknown ones, are accepted', () =>
    expect(
      telegram.check(
        message({
          message_thread_id: 7,
          parse_mode: 'HTML',
          entities: [{ type: 'bold', offset: 0, length: 2 }],
          disable_notification: true,
          allow_paid_broadcast: true,
          message_effect_id: '5104841245755180586',
          reply_parameters: { message_id: 5 },
          reply_markup: '{"inline_keyboard":[]}',
          a_field_of_tomorrow: [1, { x: null }],
        }),
      ),
    ).toEqual([]));

  test.each([
    ['message_thread_id', '7'],
    ['message_thread_id', 1.5],
    ['entities', {}],
    ['entities', [1]],
    ['disable_notification', 'true'],
    ['allow_paid_broadcast', 1],
    ['message_effect_id', 5],
    ['reply_parameters', 5],
    ['reply_markup', 'keyboard'],
    ['reply_markup', []],
    ['parse_mode', null],
  ])('%s %j: refused', (field, value) =>
    expect(fields(message({ [field]: value }))).toEqual([`params.${field}`]),
  );

  const typed = {
    string: ['business_connection_id', 'parse_mode', 'message_effect_id'],
    boolean: ['disable_notification', 'protect_content', 'allow_paid_broadcast'],
    integer: ['message_thread_id', 'direct_messages_topic_id'],
    object: [
      'ephemeral_message_parameters',
      'link_preview_options',
      'suggested_post_parameters',
      'reply_parameters',
      'reply_markup',
    ],
    array: ['entities'],
  };
  const samples: Record<keyof typeof typed, readonly unknown[]> = {
    string: ['x', ''],
    boolean: [true, false],
    integer: [0, -7, 12],
    object: [{}, '{"a":1}', Object.create(null)],
    array: [[], [{}], '[]', '[{"type":"bold"}]'],
  };
  const wrong: typeof samples = {
    string: [1, null, {}, true],
    boolean: ['true', 1, null],
    integer: ['7', 1.5, null, true],
    object: ['text', '[]', '7', 'null', [], 5, null],
    array: ['text', '{}', [1], '[1]', {}, null, 5],
  };

  test.each(Object.entries(typed))('of type %s: as documented', (type, names) => {
    for (const name of names) {
      for (const value of samples[type as keyof typeof typed])
        expect(telegram.check(message({ [name]: value }))).toEqual([]);
      for (const value of wrong[type as keyof typeof typed])
        expect(telegram.check(message({ [name]: value }))).toMatchObject([
          { field: `params.${name}`, problem: expect.stringMatching(/^must be (a|an|true) /) },
        ]);
    }
  });

  test('inherited fields are none', () => {
    const params = Object.assign(Object.create({ entities: 5, parse_mode: 'HTML' }), message({}).params);
    expect(fields({ method: 'sendMessage', params: { ...params } })).toEqual([]);
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  test.each([
    ['undefined', { x: undefined }, 'params.x'],
    ['a function', { x: [() => 1] }, 'params.x[0]'],
    ['not a number', { x: { y: Number.NaN } }, 'params.x.y'],
    ['infinity', { x: Infinity }, 'params.x'],
    ['a bigint', { x: 1n }, 'params.x'],
    ['a symbol', { x: Symbol('x') }, 'params.x'],
    ['a date', { x: new Date(0) }, 'params.x'],
    ['a map', { x: new Map() }, 'params.x'],
    ['a hole', { x: Object.assign([], { length: 1 }) }, 'params.x[0]'],
    ['an inexact number', { x: 2 ** 60 }, 'params.x'],
    ['half of a pair', { x: '\uDE00' }, 'params.x'],
    ['half of a pair in a name', { '\uDE00': 1 }, 'params'],
  ])('%s cannot be sent', (_, params, field) => expect(fields(message(params))).toEqual([field]));

  test('a value that contains itself, or a great many, is refused in bounded time', () => {
    expect(fields(message({ x: cyclic }))).toHaveLength(1);
    let shared: unknown = 1;
    for (let depth = 0; depth < 60; depth += 1) shared = [shared, shared];
    expect(fields(message({ x: shared }))).toHaveLength(1);
    expect(fields(message({ x: Object.assign([], { length: 1e9 }) })).length).toBeLessThanOrEqual(20);
  });

  test('every problem is told at once', () =>
    expect(fields({ method: 'get', params: { chat_id: 'x', text: '', entities: 1, x: 1n } })).toEqual([
      'method',
      'params.x',
      'params.chat_id',
    ]));

  test.each(
    each<unknown>([
      null,
      undefined,
      7,
      [],
      { method: 'sendMessage' },
      { method: 'sendMessage', params: [] },
      new Proxy(
        {},
        {
          getPrototypeOf: () => {
            throw new Error('no');
          },
        },
      ),
    ]),
  )('content of another shape is a problem, not a failure: %#', (content) => {
    expect(fields(content)).toHaveLength(1);
    expect(['content', 'params']).toContain(fields(content)[0]);
  });

  test('content of another shape: what is wrong is named', () => {
    expect(fields(null)).toEqual(['content']);
    expect(fields({ method: 'sendMessage', params: [] })).toEqual(['params']);
    expect(fields({ method: 7, params: [] })).toEqual(['method', 'params']);
    const unreadable = Object.defineProperty({}, 'method', {
      get: () => {
        throw new Error('a secret');
      },
    });
    expect(telegram.check(unreadable as Content)).toEqual([
      { field: 'content', problem: expect.stringMatching(/cannot be read/) },
    ]);
    expect(telegram.check(message({ text: undefined }))).toContainEqual({
      field: 'params.text',
      problem: expect.stringMatching(/undefined/),
    });
    expect(telegram.check({ method: 'sendMessage', params: { chat_id: 1 } })).toEqual([
      { field: 'params.text', problem: expect.stringMatching(/is missing/) },
    ]);
  });
});
