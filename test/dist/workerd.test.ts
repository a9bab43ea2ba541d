import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import workerd from 'workerd';
import { bundle } from '../house/bundle.js';
import { inFolder, writeFiles } from '../house/package.js';
import { startRawServer } from '../support/raw-server.js';

/** A Worker of one module, without Node's modules: from August 2026 on a date alone would switch those on. */
const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2025-11-01",
    globalOutbound = "network",
  )),
  (name = "network", network = (allow = ["local"])),
]);`;

/** Runs a consumer of the built package in the Workers runtime; what it throws there fails here. */
function runInWorkerd(code: string): Promise<void> {
  return inFolder(async (folder) => {
    const worker = await bundle(`import * as root from './dist/index.js';
      function expect(condition, what) { if (!condition) throw new Error(what); }
      export default { async test() { ${code} } };`);
    writeFiles(folder, { 'worker.js': worker.text, 'config.capnp': config });
    await promisify(execFile)(workerd, ['test', 'config.capnp'], { cwd: folder });
  });
}

it('the built root entry runs in a Worker that has no Node', async () => {
  await runInWorkerd(`
    expect(typeof process === 'undefined' && typeof Buffer === 'undefined', 'this Worker has Node');
    const toolset = await root.mcpTools([]);
    expect(Object.keys(toolset.tools).join() === 'mcp__read_result', 'no server, yet there are tools');
    await toolset.close();`);
});

it.each(['legacy', 'modern'] as const)('and there it calls a tool of a %s server', async (era) => {
  const server = await startRawServer({
    era,
    tools: [{ name: 'good', inputSchema: { type: 'object' } }],
    onCall: () => ({ content: [{ type: 'text', text: 'good' }] }),
  });
  try {
    await runInWorkerd(`
      const toolset = await root.mcpTools([{ name: 'raw', type: 'http', url: '${server.url}' }]);
      expect(toolset.servers[0].era === '${era}', JSON.stringify(toolset.inspect().servers));
      const { content } = await toolset.tools.raw__good.execute({});
      expect(content[0].text === 'good', JSON.stringify(content));
      await toolset.close();`);
  } finally {
    await server.close();
  }
});

it('T6 and there it reads a configuration file', async () => {
  const text = JSON.stringify({
    mcpServers: { a: { type: 'http', url: 'https://a.example', headers: { k: '${K}' } }, b: { command: 5 } },
  });
  await runInWorkerd(`
    const { servers, diagnostics } = await root.parseMcpConfig(${JSON.stringify(text)}, { env: { K: 'value' } });
    expect(servers.length === 1 && servers[0].headers.k === 'value', JSON.stringify(servers));
    expect(diagnostics[0].data.reason === 'invalid', JSON.stringify(diagnostics));`);
});

it('a Worker that fails is seen to fail', async () => {
  await expect(runInWorkerd(`await import('node:fs');`)).rejects.toThrow('node:fs');
});
