import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MockLanguageModelV4 } from 'ai/test';
import { isMcpError, mcpTools } from 'mcp-toolset';
import { describe, expect, inject, it } from 'vitest';
import { answer } from '../../examples/agent.js';
import { describeOutcome } from '../../examples/errors.js';
import { toolsOf } from '../../examples/guarded.js';
import { report } from '../../examples/report.js';
import { toolsFor } from '../../examples/servers.js';
import { worker } from '../../examples/worker.js';
import { startBearerGate } from '../support/bearer-gate.js';
import { startRawServer } from '../support/raw-server.js';
import { startSdk1SseServer } from '../support/sdk-servers.js';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** Calls one tool, then answers with what it was given back. */
function scriptedModel(toolName: string, input: object): MockLanguageModelV4 {
  let step = 0;
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      step += 1;
      if (step === 1) {
        const call = { type: 'tool-call', toolCallId: 'call-1', toolName, input: JSON.stringify(input) } as const;
        return { content: [call], finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage, warnings: [] };
      }
      const text = JSON.stringify(prompt.at(-1)?.content);
      return { content: [{ type: 'text', text }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] };
    },
  });
}

describe('the examples of the documents', () => {
  it('agent: the model calls a tool of server-everything and sees its answer', async () => {
    const text = await answer(
      inject('everythingHttpUrl'),
      'Say hello.',
      scriptedModel('docs__echo', { message: 'hello' }),
    );
    expect(text).toContain('Echo: hello');
  });

  const keyed = process.env.AI_GATEWAY_API_KEY === undefined ? [] : ['AI_GATEWAY_API_KEY'];
  if (keyed.length === 0) console.log('The agent runs with a scripted model only: AI_GATEWAY_API_KEY is not set.');
  for (const key of keyed) {
    it(`agent: a real model calls the tool (${key} is set)`, { timeout: 120_000 }, async () => {
      const prompt = 'Use the echo tool to echo the word marzipan, then repeat exactly what it answered.';
      expect(await answer(inject('everythingHttpUrl'), prompt)).toContain('marzipan');
    });
  }

  it('guarded: one host, tokens of a session that are renewed, and a fetch that judges addresses', async () => {
    const server = await startRawServer({ tools: [{ name: 'find', inputSchema: { type: 'object' } }] });
    const gate = await startBearerGate(server);
    const asked: unknown[] = [];
    const tokens = {
      token: async (user: string, name: string, { fresh }: { fresh: boolean }) => {
        asked.push([user, name, fresh]);
        return fresh ? 'new' : 'old';
      },
    };
    gate.accept('new');
    const url = gate.url.replace('127.0.0.1', 'localhost');
    const toolset = await toolsOf('ada', url, 'localhost:*', tokens);
    try {
      expect(Object.keys(toolset.tools)).toEqual(['crm__find']);
      expect(asked.slice(0, 2)).toEqual([
        ['ada', 'crm', false],
        ['ada', 'crm', true],
      ]);
      const denied = toolsOf('ada', url, 'mcp.example.com', tokens);
      await expect(denied).rejects.toMatchObject({ code: 'host-denied' });
    } finally {
      await toolset.close();
      await gate.close();
      await server.close();
    }
  });

  it('servers: a filter, an SSE server with a prefix, and credentials from the session', async () => {
    const docs = await startRawServer({
      tools: ['read', 'delete_all'].map((name) => ({ name, inputSchema: { type: 'object' } })),
    });
    const old = await startSdk1SseServer();
    const crm = await startRawServer({ tools: [{ name: 'find', inputSchema: { type: 'object' } }] });
    const toolset = await toolsFor({ id: 'u1', token: 't-1' }, { docs: docs.url, old: old.url, crm: crm.url });
    try {
      expect(Object.keys(toolset.tools)).toEqual(expect.arrayContaining(['docs__read', 'legacy_echo', 'crm__find']));
      expect(Object.keys(toolset.tools)).not.toContain('docs__delete_all');
      expect(crm.requests.every(({ headers }) => headers.authorization === 'Bearer t-1')).toBe(true);
      expect(docs.requests.some(({ headers }) => headers.authorization !== undefined)).toBe(false);
    } finally {
      await toolset.close();
      await Promise.all([docs.close(), old.close(), crm.close()]);
    }
  });

  it('errors: each outcome is told by its code', async () => {
    const { tools, close } = await mcpTools([{ name: 'sdk', type: 'http', url: inject('sdkDualUrl') }]);
    const outcome = (name: string, args: unknown) => describeOutcome(tools[name]!, args);
    expect(await outcome('sdk__echo', { message: 'hi' })).toBe('ok: 1 blocks');
    expect(await outcome('sdk__fail', {})).toBe(
      'the tool ran and failed: MCP tool error: Invalid departure date: must be in the future.',
    );
    expect(await outcome('sdk__echo', 'text')).toContain('McpInvalidArgumentsError (invalid-arguments) from sdk');
    await close();
    expect(await outcome('sdk__echo', { message: 'hi' })).toContain('McpClosedError (closed)');
    await expect(
      describeOutcome({ execute: () => Promise.reject(new Error('foreign')) } as never, {}),
    ).rejects.toSatisfy((error) => !isMcpError(error));
  });

  it('report: servers, states and diagnostics in words', async () => {
    const server = await startRawServer({
      tools: [{ name: 'good', inputSchema: { type: 'object' } }, { name: 'bad' }],
    });
    const lines = await report({ mixed: server.url, gone: 'http://127.0.0.1:9/mcp' });
    await server.close();
    expect(lines).toEqual([
      expect.stringMatching(/^server-failed: .*`gone`/),
      expect.stringMatching(/^tool-quarantined: .*`bad`/),
      'mixed is ready with 1 tools',
      'gone is failed with 0 tools (connect-failed)',
      expect.stringMatching(/^mixed__bad is quarantined: /),
    ]);
  });

  it('worker: lists its tools and calls one', async () => {
    const env = { MCP_URL: inject('sdkDualUrl') };
    const listed = await worker.fetch(new Request('http://worker/'), env);
    expect(await listed.json()).toContain('docs__echo');
    const request = new Request('http://worker/?tool=docs__echo', { method: 'POST', body: '{"message":"hi"}' });
    expect(await (await worker.fetch(request, env)).json()).toEqual({ content: [{ type: 'text', text: 'hi' }] });
  });

  it('demo: prints the tool map of a published server and the answers of its tools', { timeout: 60_000 }, async () => {
    const root = fileURLToPath(new URL('../../', import.meta.url));
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--import', 'tsx', 'examples/demo.ts'], {
      cwd: root,
      timeout: 50_000,
    });
    expect(stdout).toContain('everything: ready, MCP 2025-11-25');
    expect(stdout).toContain("'everything__echo'");
    expect(stdout).toContain('Echo: hello');
    expect(stdout).toContain('The sum of 2 and 40 is 42.');
    expect(stdout).toContain('"mediaType":"image/png"');
    expect(stdout).toContain('McpToolExecutionError [tool-error]');
  });
});
