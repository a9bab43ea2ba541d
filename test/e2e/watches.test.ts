import { expect, it } from 'vitest';
import { expectNoSecrets, SECRETS } from '../support/canaries.js';
import { watched } from '../support/watched.js';

const failing = async () => {
  throw new Error('It failed', { cause: { token: SECRETS.token } });
};

it('every error that is taken by `rejects` is watched, also where a function gives it', async () => {
  await expect(failing()).rejects.toThrow('It failed');
  await expect(failing).rejects.not.toBeInstanceOf(TypeError);
  await expect(Promise.reject(new Error('clean'))).rejects.toThrow('clean');
  const errors = watched.errors.splice(0);
  expect(errors).toHaveLength(3);
  for (const error of errors.slice(0, 2)) expect(() => expectNoSecrets(error)).toThrow(SECRETS.token);
  expectNoSecrets(errors[2]);
});

it('every line on the console is watched', () => {
  console.debug('%s', SECRETS.token);
  const lines = watched.lines.splice(0);
  expect(lines).toEqual([SECRETS.token]);
  expect(() => expectNoSecrets(...lines)).toThrow(SECRETS.token);
});
