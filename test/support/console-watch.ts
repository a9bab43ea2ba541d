import { format } from 'node:util';
import { afterEach } from 'vitest';
import { expectNoSecrets } from './canaries.js';
import { watched } from './watched.js';

/** Set-up of a whole project of tests: in none of them a line on the console shows a secret (S1). */
const { lines } = watched;

for (const method of ['debug', 'error', 'info', 'log', 'warn'] as const) {
  const write = console[method].bind(console);
  console[method] = (...values: unknown[]) => {
    lines.push(format(...values));
    write(...values);
  };
}

afterEach(() => expectNoSecrets(...lines.splice(0)));
