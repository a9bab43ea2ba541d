/** What is imported on demand loads later, and is left out. */
const leaveOutWhatLoadsLater = {
  name: 'leave-out-what-loads-later',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/** The way a Worker's or a browser's bundler resolves packages. */
const asBundled = (config) => ({
  ...config,
  format: 'esm',
  target: 'es2022',
  conditions: ['workerd', 'worker', 'browser'],
});

const asLoadedFirst = (config) => ({ ...asBundled(config), plugins: [leaveOutWhatLoadsLater] });

/** Its optional peer is the consumer's own. */
const asForNode = (config) => ({ ...config, format: 'esm', target: 'es2022', platform: 'node', external: ['undici'] });

// Sizes are minified and compressed with gzip.
export default [
  {
    name: 'root, before the first connect',
    path: 'dist/index.js',
    gzip: true,
    limit: '28 kB',
    modifyEsbuildConfig: asLoadedFirst,
  },
  {
    name: 'root, with the SDK that it loads at the first connect',
    path: 'dist/index.js',
    gzip: true,
    limit: '135 kB',
    modifyEsbuildConfig: asBundled,
  },
  {
    name: 'node',
    path: 'dist/node.js',
    gzip: true,
    limit: '8 kB',
    modifyEsbuildConfig: asForNode,
  },
];
