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

/** Leaves out what is loaded only on demand, by the names of its built files. */
const leaveOut = (filter) => ({
  name: 'leave-out',
  setup(build) {
    build.onResolve({ filter }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : undefined));
  },
});
/** For `parseMcpConfig`. */
const CONFIG_FILES = /^\.\/(?:parse|schemas)-/;
/** For the first call, too: what checks arguments. */
const CALLS = /^\.\/(?:checks|parse|schemas)-/;
/** For a server that `oauth` is given for, too. */
const OAUTH = /^\.\/(?:checks|oauth|parse|schemas)-/;

const asLoadedFirst = (config) => ({ ...asBundled(config), plugins: [leaveOutWhatLoadsLater] });

/** Its optional peer is the consumer's own. */
const asForNode = (config) => ({ ...config, format: 'esm', target: 'es2022', platform: 'node', external: ['undici'] });

// Sizes are minified and compressed with gzip.
export default [
  {
    name: 'root, before the first connect',
    path: 'dist/index.js',
    gzip: true,
    limit: '27 kB',
    modifyEsbuildConfig: asLoadedFirst,
  },
  {
    name: 'root, with the SDK that it loads at the first connect',
    path: 'dist/index.js',
    gzip: true,
    limit: '151 kB',
    modifyEsbuildConfig: (config) => ({ ...asBundled(config), plugins: [leaveOut(OAUTH)] }),
  },
  {
    name: 'root, with the SDK and OAuth',
    path: 'dist/index.js',
    gzip: true,
    limit: '156 kB',
    modifyEsbuildConfig: (config) => ({ ...asBundled(config), plugins: [leaveOut(CALLS)] }),
  },
  {
    name: 'root, with the SDK, OAuth and what the first call loads',
    path: 'dist/index.js',
    gzip: true,
    limit: '171 kB',
    modifyEsbuildConfig: (config) => ({ ...asBundled(config), plugins: [leaveOut(CONFIG_FILES)] }),
  },
  {
    name: 'root, with all that it may load, configuration files included',
    path: 'dist/index.js',
    gzip: true,
    limit: '176 kB',
    modifyEsbuildConfig: asBundled,
  },
  {
    name: 'node',
    path: 'dist/node.js',
    gzip: true,
    limit: '41 kB',
    modifyEsbuildConfig: asForNode,
  },
  {
    name: 'testing',
    path: 'dist/testing.js',
    gzip: true,
    limit: '20 kB',
    modifyEsbuildConfig: asForNode,
  },
];
