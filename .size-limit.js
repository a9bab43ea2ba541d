/** The way a Worker's or a browser's bundler resolves packages. */
const modifyEsbuildConfig = (config) => ({
  ...config,
  format: 'esm',
  target: 'es2022',
  conditions: ['workerd', 'worker', 'browser'],
});

// Sizes are minified and compressed with gzip.
export default [
  {
    name: 'root, before the first connect',
    path: 'dist/index.js',
    ignore: ['@modelcontextprotocol/client'],
    gzip: true,
    limit: '20 kB',
    modifyEsbuildConfig,
  },
  {
    name: 'root, with the SDK that it loads at the first connect',
    path: 'dist/index.js',
    gzip: true,
    limit: '99 kB',
    modifyEsbuildConfig,
  },
];
