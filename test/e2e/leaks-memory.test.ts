import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { McpTool } from '../../src/index.js';
import { namesOf, remoteOf } from './rig.js';
import { createKit, custom, fakeTransport } from './wiring-kit.js';

const kit = createKit();
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Lets go of everything that nobody holds, and says what is left in MB. */
async function collect(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    gc();
  }
  return process.memoryUsage().heapUsed / 1_048_576;
}

/** A server that publishes other tools at every listing, each with a description of so many characters. */
async function restless(perListing: number, chars: number) {
  let listing = 0;
  const transport = fakeTransport({
    answer(method) {
      if (method === 'initialize') {
        const serverInfo = { name: 'restless', version: '1.0.0' };
        return { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } };
      }
      listing += 1;
      const tools = Array.from({ length: perListing }, (_, index) => ({
        // Not legal as a name, so that every listing also has its own reports and rewrites.
        name: `tool.${listing}.${index}`,
        // A text of its own: a repeated one would be shared.
        description: Buffer.alloc(chars, `${listing}.${index} `).toString('latin1'),
        inputSchema: { type: 'object' },
      }));
      return { result: { tools } };
    },
  });
  // What was sent is the fake's own record, and is not measured.
  Object.assign(transport.sent, { push: () => 0 });
  return kit.wire([{ ...custom('s', () => transport), protocol: 'legacy' }], { onDiagnostic: () => {} });
}

it('L7 a thousand refreshes with ever-new tools keep a bounded number of those that left', async () => {
  const toolset = await restless(10, 50);
  const seen: WeakRef<McpTool>[] = [];
  const refresh = async (times: number) => {
    for (let time = 0; time < times; time++) {
      await toolset.refresh('s', { force: true });
      for (const tool of Object.values(remoteOf(toolset.tools))) seen.push(new WeakRef(tool));
    }
  };
  await refresh(250);
  const before = await collect();
  await refresh(750);
  const after = await collect();
  expect(seen).toHaveLength(10_000);
  expect(after - before).toBeLessThan(8);
  const alive = seen.filter((ref) => ref.deref() !== undefined).length;
  expect(alive).toBeGreaterThanOrEqual(10);
  expect(alive).toBeLessThanOrEqual(1_200);
  expect(toolset.inspect().diagnostics.length).toBeLessThanOrEqual(1_000);
});

it('L7 what is kept of tools that left is bounded by its size too', async () => {
  const toolset = await restless(1, 500_000);
  await toolset.refresh('s', { force: true });
  const before = await collect();
  for (let time = 0; time < 200; time++) await toolset.refresh('s', { force: true });
  // Kept whole they would be 100 MB.
  expect((await collect()) - before).toBeLessThan(30);
  expect(namesOf(toolset.tools)).toHaveLength(1);
});
