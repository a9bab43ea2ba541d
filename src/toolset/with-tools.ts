import type { McpOptions } from '../config/options.js';
import { settleWithin } from '../core/deadline.js';
import type { McpServerSource, Session } from '../core/servers.js';
import type { McpToolset } from '../core/status.js';
import { CLOSE_MS } from './close.js';
import { closeAfterStream } from './streams.js';
import { mcpTools } from './toolset.js';

/**
 * Makes a toolset for the time of `use` and always closes it (W5): when `use` settles, or, where it returned an async
 * iterable or an object with a body or stream, when that is finished, cancelled or fails, whichever of several readers is
 * first. What was returned must be that object itself, and somebody must read it: a stream that nobody reads never ends.
 *
 * Rejects as `mcpTools` does, and with whatever `use` throws: the close is bounded to 5 s and never takes its place.
 */
export async function withMcpTools<S extends Session, R>(
  servers: readonly McpServerSource<S>[],
  options: McpOptions<S>,
  use: (toolset: McpToolset) => R | Promise<R>,
): Promise<R> {
  const toolset = await mcpTools(servers, options);
  const close = () => settleWithin(toolset.close(), CLOSE_MS);
  try {
    const result = await use(toolset);
    const streaming = closeAfterStream(result, close);
    if (streaming !== undefined) return streaming;
    await close();
    return result;
  } catch (error) {
    await close();
    throw error;
  }
}
