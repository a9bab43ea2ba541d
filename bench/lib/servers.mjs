import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../server/server.mjs', import.meta.url));

/** Starts `count` servers in a child process. */
export async function startServers(count) {
  const child = fork(SERVER, [String(count)], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [{ ports }] = await once(child, 'message');
  return {
    /** The first `many` servers, each publishing `tools` tools. */
    list({ many = 1, tools, latency = 0, format = 'json', era = 'legacy' }) {
      return ports.slice(0, many).map((port, index) => ({
        name: `srv${index}`,
        url: `http://127.0.0.1:${port}/${tools}/${latency}/${format}/${era}/mcp`,
      }));
    },
    /** Requests by method since the last time this was asked. */
    async takeCounts() {
      child.send('counts');
      const [counts] = await once(child, 'message');
      return counts;
    },
    stop: () => child.disconnect(),
  };
}
