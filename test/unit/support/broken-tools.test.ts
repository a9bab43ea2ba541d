import { expect, it } from 'vitest';
import { brokenTools, GOOD_AFTER, GOOD_BEFORE, withGoodSiblings } from '../../support/broken-tools.js';
import { rawJson, startRawServer } from '../../support/raw-server.js';
import { post, withClient } from './clients.js';

it.each(brokenTools())('$label is JSON, with the name it claims', ({ json, name, expected }) => {
  const tools = JSON.parse(withGoodSiblings([{ label: '', json, expected }])) as Array<{ name?: unknown } | null>;
  expect(tools).toHaveLength(expected === 'duplicate' ? 4 : 3);
  expect(tools[0]?.name).toBe(GOOD_BEFORE);
  expect(tools.at(-1)?.name).toBe(GOOD_AFTER);
  if (name !== undefined) expect(tools[1]?.name).toBe(name);
});

it('labels and names are distinct', () => {
  const tools = brokenTools();
  expect(new Set(tools.map((tool) => tool.label)).size).toBe(tools.length);
  const names = tools.flatMap((tool) => tool.name ?? []);
  expect(new Set(names).size).toBe(names.length);
});

it('reach a client as they are, all at once', async () => {
  const text = withGoodSiblings(brokenTools());
  const server = await startRawServer({ era: 'legacy', session: false, tools: rawJson(text) });
  try {
    const answer = await post(server.url, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(await answer.text()).toBe(`{"jsonrpc":"2.0","id":1,"result":{"tools":${text}}}`);
    await expect(withClient(server.url, (client) => client.listTools())).rejects.toThrow();
  } finally {
    await server.close();
  }
});
