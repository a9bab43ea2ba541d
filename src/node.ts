export { createPinnedFetch, type PinnedFetchOptions } from './transports/pinned-fetch.js';
