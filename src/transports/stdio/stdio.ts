import type { TransportFactory } from '../../core/transport.js';
import { createHost } from './host.js';
import { createStdioTransport, type Host } from './transport.js';

/**
 * Servers that are child processes, over their standard input and output (T1–T5). Importing `mcp-toolset/node` registers it;
 * `McpOptions.transports` takes it too, for who would not rely on that.
 */
export const stdio: TransportFactory = createStdio();

function createStdio(): TransportFactory {
  // Of the platform nothing is asked, nor loaded, before a server is started.
  let host: Promise<Host> | undefined;
  const loadHost = () => {
    host ??= createHost();
    return host;
  };
  return {
    type: 'stdio',
    open: (server, context) => createStdioTransport(server, context, loadHost),
  };
}
