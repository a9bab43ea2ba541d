import { afterEach, chai } from 'vitest';
import { expectNoSecrets } from './canaries.js';
import { watched } from './watched.js';

/** Set-up of a whole project of tests: no error that a test takes by `expect(…).rejects` shows a secret (R7). */
const { errors } = watched;

chai.util.overwriteProperty(chai.Assertion.prototype, 'rejects', (original: (this: object) => unknown) => {
  return function (this: object) {
    const given: unknown = chai.util.flag(this, 'object');
    const work: unknown = typeof given === 'function' ? given() : given;
    // Begun once, also where a function begins it.
    chai.util.flag(this, 'object', work);
    Promise.resolve(work).catch((error: unknown) => errors.push(error));
    return original.call(this);
  };
});

afterEach(() => expectNoSecrets(...errors.splice(0)));
