import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';
import './test/house/node-20.js';

// The Workers tooling looks up its own site and reports usage unless it is told not to.
process.env.WRANGLER_SEND_METRICS ??= 'false';
process.env.CLOUDFLARE_CF_FETCH_ENABLED ??= 'false';

const globalSetup = ['test/support/global-setup.ts'];

export default defineConfig({
  test: {
    passWithNoTests: false,
    allowOnly: false,
    // Most of the time is spent waiting; by default a machine with two processors has one worker.
    maxWorkers: 2,
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      // The house's own laws, over the sources, over the built files and over the documents.
      { test: { name: 'house', include: ['test/*.test.ts', 'test/dist/**/*.test.ts'], testTimeout: 60_000 } },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup,
          setupFiles: ['test/support/console-watch.ts', 'test/support/rejection-watch.ts'],
          testTimeout: 20_000,
        },
      },
      {
        // Inside the real Workers runtime. The plug-in needs Node's modules for vitest itself and switches them on;
        // test/dist/workerd.test.ts runs the built files without them.
        plugins: [
          cloudflareTest({
            main: 'test/support/worker-object.ts',
            miniflare: {
              durableObjects: { OBJECTS: { className: 'StoreObject', useSQLite: true } },
              compatibilityDate: '2025-11-01',
              // Before this flag the runtime also calls those rejections unhandled that are taken a microtask later.
              compatibilityFlags: ['unhandled_rejection_after_microtask_checkpoint'],
              cf: false,
            },
          }),
        ],
        test: { name: 'workerd', include: ['test/workerd/**/*.test.ts'], globalSetup, testTimeout: 20_000 },
      },
      {
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['test/types/**/*.test-d.ts'],
            tsconfig: 'test/tsconfig.json',
          },
        },
      },
    ],
  },
});
