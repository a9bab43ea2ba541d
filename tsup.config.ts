import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts', 'src/node.ts', 'src/testing.ts'],
  format: ['esm'],
  target: 'es2022',
  platform: 'neutral',
  // The types name `AsyncDisposable`, which not every consumer's `lib` has.
  dts: { banner: '/// <reference lib="esnext.disposable" />' },
  splitting: true,
  sourcemap: true,
  clean: true,
  // Dependencies stay imports of the consumer's own copy; the platform's modules are nobody's to bundle.
  external: [/^node:/, /^cloudflare:/],
  removeNodeProtocol: false,
});
