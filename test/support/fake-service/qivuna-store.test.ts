import { describe, expect, it } from 'vitest';
import { QivunaStore } from './qivuna-store.ts';

const answer = { status: 200, headers: {}, body: '{"ok":true}' };
const storeWith = (keys: readonly string[], storeKeys = 1000) => {
  const store = new QivunaStore({ storeForMs: 1000, storeKeys });
  for (const key of keys) {
    store.begin('support', key, 'request');
    store.keep('support', key, 'request', answer, 0);
  }
  return store;
};
const kinds = (store: QivunaStore, keys: readonly string[], atMs = 0) =>
  keys.map((key) => store.find('support', key, 'request', atMs).kind);

describe('a stored answer', () => {
  it('is found by bot, key and request', () => {
    const store = storeWith(['k']);
    expect(store.find('support', 'k', 'request', 0)).toEqual({ kind: 'answer', answer });
    expect(store.find('support', 'k', 'another', 0)).toEqual({ kind: 'another_request' });
    expect(store.find('other', 'k', 'request', 0)).toEqual({ kind: 'nothing' });
  });

  it('is gone when its time is over, for another request too', () => {
    expect(kinds(storeWith(['k']), ['k'], 999)).toEqual(['answer']);
    expect(kinds(storeWith(['k']), ['k'], 1000)).toEqual(['nothing']);
    expect(storeWith(['k']).find('support', 'k', 'another', 1000)).toEqual({ kind: 'nothing' });
  });

  it('is gone when there are too many later ones, counted from when they were stored', () => {
    expect(kinds(storeWith(['a', 'b', 'c'], 2), ['a', 'b', 'c'])).toEqual(['nothing', 'answer', 'answer']);
    const store = storeWith([], 2);
    store.begin('support', 'first', 'request');
    for (const key of ['a', 'b', 'first']) store.keep('support', key, 'request', answer, 0);
    expect(kinds(store, ['first', 'a', 'b'])).toEqual(['answer', 'nothing', 'answer']);
  });

  it('is gone when the bot changes owners; what runs goes on', () => {
    const store = storeWith(['k']);
    store.begin('support', 'running', 'request');
    store.forget('support');
    expect(kinds(store, ['k', 'running'])).toEqual(['nothing', 'running']);
  });
});

it('a running request neither expires nor counts among the last keys', () => {
  const store = storeWith([], 1);
  store.begin('support', 'running', 'request');
  store.keep('support', 'a', 'request', answer, 0);
  expect(kinds(store, ['running', 'a'])).toEqual(['running', 'answer']);
  expect(kinds(store, ['running'], 5000)).toEqual(['running']);
  expect(store.find('support', 'running', 'another', 0)).toEqual({ kind: 'another_request' });
});
