/**
 * The official client package, loaded at the first connect: importing it costs several times what this library costs as a
 * whole. It is named at run time in one module of its own, by its parts, so that a bundler can leave the others out.
 */
export const loadSdk = () => import('./sdk-parts.js');
