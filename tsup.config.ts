import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm'],
  target: 'es2022',
  platform: 'neutral',
  dts: true,
  splitting: true,
  sourcemap: true,
  clean: true,
  // Dependencies stay imports of the consumer's own copy; the platform's modules are nobody's to bundle.
  external: [/^node:/, /^cloudflare:/],
  removeNodeProtocol: false,
});
