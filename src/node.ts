export { createFileMcpConnectionStore, type FileMcpConnectionStore } from './stores/file.js';
export { loadMcpConfig } from './transports/config-files.js';
export { createPinnedFetch, type PinnedFetchOptions } from './transports/pinned-fetch.js';
export { stdio } from './transports/stdio/register.js';
