import { describe, expect, inject, it } from 'vitest';
import { isMcpError, type McpServerConfig, type McpToolset, mcpTools } from '../../src/index.js';
import { FAIL_TEXT, TINY_PNG } from '../support/sdk-tools.js';

/** What a test server recorded, read over HTTP: its process is another one. */
interface Recorded {
  readonly http: string;
  readonly method?: string;
  readonly params?: { readonly name?: string };
  readonly closedEarly: boolean;
}

async function recorded(url: string): Promise<readonly Recorded[]> {
  return (await fetch(new URL('/__requests', url))).json();
}

async function use(server: McpServerConfig, work: (toolset: McpToolset) => Promise<void>): Promise<void> {
  const toolset = await mcpTools([server], { onServerError: 'throw' });
  try {
    await work(toolset);
  } finally {
    await toolset.close();
  }
}

async function failure(work: Promise<unknown>) {
  const error = await work.then(
    (value) => expect.fail(`It resolved: ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (!isMcpError(error)) throw error;
  return error;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Never true: ${condition}`);
}

const SDK = [
  { server: 'the 2.x package, both eras', key: 'sdkDualUrl', era: 'modern', sessions: false },
  { server: 'the 2.x package, legacy era alone', key: 'sdkLegacyUrl', era: 'legacy', sessions: true },
  { server: 'the 2.x package, modern era alone', key: 'sdkModernUrl', era: 'modern', sessions: false },
  { server: 'the 1.x package', key: 'sdk1HttpUrl', era: 'legacy', sessions: true },
] as const;

describe.each(SDK)('a server made with $server', ({ key, era, sessions }) => {
  const url = inject(key);
  const server = { name: 'sdk', type: 'http', url } as const;

  it('W1 W7 N1 connects in its era and lists its tools under their names', async () => {
    await use(server, async ({ tools, servers, describeTools }) => {
      expect(servers[0]).toMatchObject({ state: 'ready', era });
      expect(Object.keys(tools)).toEqual(expect.arrayContaining(['sdk__add', 'sdk__echo', 'sdk__image']));
      const search = describeTools().find(({ tool }) => tool === 'search.docs');
      expect(search?.name).toMatch(/^sdk__search_docs_[0-9a-f]{12}$/);
      expect(tools[search!.name]!.metadata.tool).toBe('search.docs');
    });
  });

  it('R1 R2 text, image and structured results come as they were sent, a failed tool rejects', async () => {
    await use(server, async ({ tools }) => {
      expect(await tools.sdk__echo!.execute({ message: 'hello' })).toEqual({
        content: [{ type: 'text', text: 'hello' }],
      });
      const image = await tools.sdk__image!.execute({});
      expect(image.content).toEqual([{ type: 'image', data: TINY_PNG, mimeType: 'image/png' }]);
      expect(tools.sdk__image!.toModelOutput({ output: image })).toEqual({
        type: 'content',
        value: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: TINY_PNG } }],
      });
      expect(await tools.sdk__add!.execute({ a: 2, b: 40 })).toMatchObject({ structuredContent: { sum: 42 } });
      const error = await failure(tools.sdk__fail!.execute({}));
      expect(error).toMatchObject({ code: 'tool-error', message: `MCP tool error: ${FAIL_TEXT}` });
    });
  });

  it('C2 W9 an abort ends the call and its stream, and the toolset goes on', async () => {
    await use(server, async ({ tools }) => {
      await fetch(new URL('/__reset', url), { method: 'POST' });
      const controller = new AbortController();
      const slow = failure(tools.sdk__slow!.execute({ ms: 20_000 }, { abortSignal: controller.signal }));
      const called = async () => (await recorded(url)).filter(({ params }) => params?.name === 'slow');
      await until(async () => (await called()).length === 1);
      controller.abort('enough');
      expect(await slow).toMatchObject({ code: 'aborted', reason: 'enough' });
      await until(async () => (await called()).every(({ closedEarly }) => closedEarly));
      expect((await recorded(url)).some(({ method }) => method === 'notifications/cancelled')).toBe(era === 'legacy');
      expect(await tools.sdk__echo!.execute({ message: 'on' })).toMatchObject({ content: [{ text: 'on' }] });
    });
  });

  it('W4 a close ends the session, where there is one, and every later call is refused', async () => {
    await fetch(new URL('/__reset', url), { method: 'POST' });
    const { tools, close } = await mcpTools([server]);
    await close();
    await close();
    expect((await recorded(url)).filter(({ http }) => http === 'DELETE')).toHaveLength(sessions ? 1 : 0);
    expect(await failure(tools.sdk__echo!.execute({ message: 'late' }))).toMatchObject({ code: 'closed' });
  });
});

const EVERYTHING = [
  { transport: 'Streamable HTTP', key: 'everythingHttpUrl', type: 'http' },
  { transport: 'HTTP+SSE', key: 'everythingSseUrl', type: 'sse' },
  { transport: 'HTTP+SSE, found out', key: 'everythingSseUrl', type: 'http' },
] as const;

describe.each(EVERYTHING)('server-everything over $transport', ({ key, type }) => {
  const server = { name: 'everything', type, url: inject(key) } as const;

  it('W8 R1 R2 connects, lists its tools and calls them', async () => {
    await use(server, async ({ tools, servers }) => {
      expect(servers[0]).toMatchObject({ state: 'ready', era: 'legacy' });
      expect(Object.keys(tools).length).toBeGreaterThanOrEqual(13);
      const echo = await tools.everything__echo!.execute({ message: 'hello' });
      expect(echo.content).toEqual([{ type: 'text', text: 'Echo: hello' }]);
      const image = await tools['everything__get-tiny-image']!.execute({});
      expect(image.content).toEqual(expect.arrayContaining([expect.objectContaining({ type: 'image' })]));
      const weather = await tools['everything__get-structured-content']!.execute({ location: 'Chicago' });
      expect(weather.structuredContent).toMatchObject({ conditions: expect.any(String) });
      const error = await failure(tools['everything__get-sum']!.execute({ a: 'one' }));
      expect(error.code).toBe('invalid-arguments');
    });
  });

  it('C2 W9 an aborted call rejects with the reason, and the next one is served', async () => {
    await use(server, async ({ tools }) => {
      const controller = new AbortController();
      const long = tools['everything__trigger-long-running-operation']!;
      const slow = failure(long.execute({ duration: 30, steps: 30 }, { abortSignal: controller.signal }));
      setTimeout(() => controller.abort('enough'), 200);
      expect(await slow).toMatchObject({ code: 'aborted', reason: 'enough' });
      const echo = await tools.everything__echo!.execute({ message: 'on' });
      expect(echo.content).toEqual([{ type: 'text', text: 'Echo: on' }]);
    });
  });
});
