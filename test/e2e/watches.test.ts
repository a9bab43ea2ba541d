import { expect, it } from 'vitest';
import { SECRETS } from '../support/canaries.js';

const failing = async () => {
  throw new Error('It failed', { cause: { token: SECRETS.token } });
};

// Each of these has to fail after it has passed, by what watches the whole project.
it.fails('an error with a secret that is taken by `rejects` is seen', async () => {
  await expect(failing()).rejects.toThrow('It failed');
});

it.fails('and where a function gives it', async () => {
  await expect(failing).rejects.not.toBeInstanceOf(TypeError);
});

it.fails('and a line on the console', () => {
  console.debug(SECRETS.token);
});
