/**
 * The official client package, loaded at the first connect: importing it costs several times what this library costs as a
 * whole. It is named at run time in modules of its own, by its parts, so that a bundler can leave the others out.
 */
export const loadSdk = () => import('./sdk-parts.js');

/** Its OAuth code, loaded for a server that `oauth` is given for. */
export const loadOAuthSdk = () => import('./sdk-oauth-parts.js');
