import { describe, expect, it } from 'vitest';
import { parse, readSources, root } from './house/files.js';
import * as laws from './house/laws.js';

const sources = readSources(`${root}src`);

/** Each law with a file that keeps it and files that break it, so that every law is known to be able to fail. */
const cases: { law: laws.Law; keeps: [path: string, text: string][]; breaks: [path: string, text: string][] }[] = [
  {
    law: laws.keepsToItsFloor,
    keeps: [
      ['guard/a.ts', `import { a } from '../core/a.js'; import { b } from './b.js';`],
      ['index.ts', `export { a } from './core/a.js';`],
    ],
    breaks: [
      ['core/a.ts', `import { a } from '../guard/a.js';`],
      ['core/a.ts', `import type { A } from '../guard/a.js';`],
      ['core/a.ts', `type A = import('../guard/a.js').A;`],
      ['core/a.ts', `export * from '../toolset/a.js';`],
      ['core/a.ts', `const a = () => import('../cli/a.js');`],
      ['core/a.ts', `const a = (name: string) => import(name);`],
      ['core/a.ts', `import { a } from '../index.js';`],
      ['core/a.ts', `import { a } from '../../test/a.js';`],
      ['core/a.ts', `import { a } from 'mcp-toolset';`],
      ['attic/a.ts', ``],
    ],
  },
  {
    law: laws.staysShort,
    keeps: [['core/a.ts', '//\n'.repeat(250)]],
    breaks: [['core/a.ts', '//\n'.repeat(251)]],
  },
  {
    law: laws.hasShortFunctions,
    keeps: [['core/a.ts', `function a() {${'\n'.repeat(49)}}`]],
    breaks: [
      ['core/a.ts', `function a() {${'\n'.repeat(50)}}`],
      ['core/a.ts', `const a = () => {${'\n'.repeat(50)}};`],
      ['core/a.ts', `class A { a() {${'\n'.repeat(50)}} }`],
    ],
  },
  {
    law: laws.leavesTheConsoleAlone,
    keeps: [['core/diagnostics.ts', `console.warn('a');`]],
    breaks: [
      ['core/a.ts', `console.warn('a');`],
      ['core/a.ts', `globalThis.console.warn('a');`],
    ],
  },
  {
    law: laws.readsNoMessages,
    keeps: [
      ['core/a.ts', `const a = { message: error.message }; if (typeof error.message === 'string') throw a;`],
      ['core/a.ts', `if (error.message !== '' && error.message !== undefined) throw error;`],
    ],
    breaks: [
      ['core/a.ts', `error.message.includes('a');`],
      ['core/a.ts', `error?.message?.toLowerCase().startsWith('a');`],
      ['core/a.ts', `(error.message ?? '').match(/a/);`],
      ['core/a.ts', `/a/.test(error.message);`],
      ['core/a.ts', `if (error.message === 'a') throw error;`],
      ['core/a.ts', `switch (error.message) {}`],
    ],
  },
  {
    law: laws.saysWhatItTakes,
    keeps: [['core/a.ts', `const any = (a: unknown): unknown => a; // any`]],
    breaks: [['core/a.ts', `const a = (b: any) => b;`]],
  },
  {
    law: laws.holdsNoModuleState,
    keeps: [
      ['core/a.ts', `const a: ReadonlySet<string> = new Set(['a']); const b = ['a']; const c = () => new Map();`],
      ['transports/registry.ts', `const a = new Map();`],
    ],
    breaks: [
      ['core/a.ts', `let a = 0;`],
      ['core/a.ts', `const a = new Map<string, string>();`],
      ['core/a.ts', `const a: Set<string> = new Set();`],
      ['core/a.ts', `export const a = new WeakMap<object, string>();`],
      ['core/a.ts', `const a: string[] = [];`],
      ['core/a.ts', `class A { static count = 0; }`],
    ],
  },
  {
    law: laws.loadsTheSdkLate,
    keeps: [
      ['connection/a.ts', `const a = () => import('@modelcontextprotocol/client');`],
      ['core/a.ts', `import type { Transport } from '@modelcontextprotocol/client';`],
      ['transports/sdk-parts.ts', `export { Client } from '@modelcontextprotocol/client';`],
      ['transports/a.ts', `const a = () => import('./sdk-parts.js');`],
    ],
    breaks: [
      ['connection/a.ts', `import { Client } from '@modelcontextprotocol/client';`],
      ['connection/a.ts', `import { type Client } from '@modelcontextprotocol/client';`],
      ['calls/a.ts', `const a = () => import('@modelcontextprotocol/client/stdio');`],
      ['config/a.ts', `import { z } from 'zod';`],
      ['transports/a.ts', `import { Client } from './sdk-parts.js';`],
    ],
  },
  {
    law: laws.needsNoNode,
    keeps: [['core/a.ts', `import { sha256 } from '@noble/hashes/sha2.js';`]],
    breaks: [
      ['core/a.ts', `import { readFileSync } from 'node:fs';`],
      ['core/a.ts', `import type { Server } from 'http';`],
    ],
  },
  {
    law: laws.passesContextByHand,
    keeps: [['core/a.ts', `const a = globalThis.localStorage;`]],
    breaks: [
      ['core/a.ts', `const a = new AsyncLocalStorage();`],
      ['core/a.ts', `const a = globalThis['AsyncLocalStorage'];`],
      ['core/a.ts', `const a = () => import('node:async_hooks');`],
      ['core/a.ts', `// AsyncLocalStorage would do.`],
    ],
  },
  {
    law: laws.entriesReExport,
    keeps: [['index.ts', `export { a } from './core/a.js'; export type { B } from './core/b.js';`]],
    breaks: [
      ['index.ts', `export const a = 1;`],
      ['index.ts', `import { a } from './core/a.js'; export { a };`],
    ],
  },
];

it('every law is held, and every law has a case', () => {
  expect(sources.length).toBeGreaterThan(0);
  expect(cases.map(({ law }) => law)).toEqual(Object.values(laws).filter((value) => typeof value === 'function'));
});

describe.each(cases)('$law.name', ({ law, keeps, breaks }) => {
  it('holds in every source file', () => {
    expect(sources.flatMap(law)).toEqual([]);
  });

  it.each(keeps)('lets %s pass (%#)', (path, text) => {
    expect(law(parse(path, text))).toEqual([]);
  });

  it.each(breaks)('finds what is wrong in %s (%#)', (path, text) => {
    expect(law(parse(path, text))).not.toEqual([]);
  });
});
