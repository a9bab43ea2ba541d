import { expect, it } from 'vitest';
import { secretParameters } from '../../../src/guard/secret-query.js';

it.each([
  ['api_key=canary', ['api_key']],
  ['apikey=canary&x-access-token=canary', ['apikey', 'x-access-token']],
  ['clientSecret=canary', ['clientSecret']],
  ['KEY=canary', ['KEY']],
  ['sig=canary&sv=1', ['sig']],
  ['profile=ghp_0123456789abcdefghij', ['profile']],
  ['eyJhbGciOiJIUzI1NiJ9.e30.abc', ['?']],
  ['v1_0123456789_key=x', ['?']],
  ['token=a&token=b', ['token']],
])('G12 a query of %s holds a secret, and no value of it is shown', (query, names) => {
  const found = secretParameters(new URL(`https://a.example/mcp?${query}`));
  expect(found).toEqual(names);
  expect(JSON.stringify(found)).not.toContain('canary');
});

it.each(['', '?', '?page=2&lang=en', '?monkey=1&keyboard=us&tokens=5&author=x', '?skill=sketch'])(
  'G12 %j holds none',
  (query) => expect(secretParameters(new URL(`https://a.example/mcp${query}`))).toEqual([]),
);
