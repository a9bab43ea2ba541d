/**
 * The official client package, loaded at the first connect: importing it costs several times what this library costs
 * as a whole. This is the only place that names it at run time.
 */
export const loadSdk = () => import('@modelcontextprotocol/client');
