import { describe, expect, it } from 'vitest';
import { expectNoSecrets, reach, SECRETS } from '../../support/canaries.js';

const { token } = SECRETS;
const hidden = (value: object, key: PropertyKey) =>
  Object.defineProperty(value, key, { enumerable: false, get: () => token });

describe('the walk for secrets', () => {
  it.each<[string, () => unknown]>([
    ['a message', () => new Error(`refused ${token}`)],
    ['a cause of a cause', () => new Error('a', { cause: { cause: new Error(token) } })],
    ['a hidden property', () => hidden(new Error('a'), 'response')],
    ['a property named by a symbol', () => hidden(new Error('a'), Symbol('response'))],
    ['the name of a property', () => ({ [token]: 1 })],
    ['a header', () => ({ headers: new Headers({ authorization: `Bearer ${token}` }) })],
    ['a map', () => new Map([['a', [token]]])],
    ['a set', () => new Set([token])],
    ['the query of a URL', () => ({ at: new URL(`https://a.example/?k=${token}`) })],
    ['a property of a function', () => Object.assign(() => {}, { token })],
    ['the form as JSON', () => ({ toJSON: () => token })],
    ['a text', () => token],
    ['one of many errors', () => new AggregateError([new Error(token)])],
  ])('finds it in %s', (_, make) => {
    expect(() => expectNoSecrets(make())).toThrow('to deeply equal []');
  });

  it('finds nothing in what holds none, however deep', () => {
    let deep: unknown = [];
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    expectNoSecrets(new Error('a', { cause: { code: 1 } }), deep, undefined, null, 1, () => {});
  });

  it('names the classes on the way', () => {
    expect([...reach(new Error('outer', { cause: new Headers() })).classes]).toEqual(
      expect.arrayContaining(['Error', 'Headers']),
    );
  });
});
