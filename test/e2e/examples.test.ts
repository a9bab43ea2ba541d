import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MockLanguageModelV4 } from 'ai/test';
import { isMcpError, mcpTools } from 'mcp-toolset';
import { describe, expect, inject, it } from 'vitest';
import { answer } from '../../examples/agent.js';
import { toolsOf } from '../../examples/auth.js';
import { toolsOf as configuredToolsOf } from '../../examples/config.js';
import { describeOutcome } from '../../examples/errors.js';
import { onCallback, open, pageOf, providerOver } from '../../examples/oauth.js';
import { toolsOf as pinnedToolsOf } from '../../examples/pinned.js';
import { report } from '../../examples/report.js';
import { toolsFor } from '../../examples/servers.js';
import { filesIn } from '../../examples/stdio.js';
import worker from '../../examples/worker/worker.js';
import { startBearerGate } from '../support/bearer-gate.js';
import { protect } from '../support/oauth-resource.js';
import { startOAuthServer } from '../support/oauth-server.js';
import { startRawServer } from '../support/raw-server.js';
import { startSdk1SseServer, startSdkServer } from '../support/sdk-servers.js';
import { namesOf, rejection } from './rig.js';
import { processesWith } from './stdio-kit.js';

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

  it('pinned: a name of the list is served, and another one refused', async () => {
    const server = await startRawServer({ tools: [{ name: 'find', inputSchema: { type: 'object' } }] });
    const url = server.url.replace('127.0.0.1', 'localhost');
    try {
      const toolset = await pinnedToolsOf(url, ['localhost:*']);
      expect(namesOf(toolset.tools)).toEqual(['crm__find']);
      await toolset.close();
      expect(await rejection(pinnedToolsOf(url, ['mcp.example.com']))).toMatchObject({ code: 'host-denied' });
    } finally {
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
      expect(namesOf(toolset.tools)).toEqual(expect.arrayContaining(['docs__read', 'legacy_echo', 'crm__find']));
      expect(namesOf(toolset.tools)).not.toContain('docs__delete_all');
      expect(crm.requests.every(({ headers }) => headers.authorization === 'Bearer t-1')).toBe(true);
      expect(docs.requests.some(({ headers }) => headers.authorization !== undefined)).toBe(false);
    } finally {
      await toolset.close();
      await Promise.all([docs.close(), old.close(), crm.close()]);
    }
  });

  it('auth: each session has its own tokens, and a refused one is renewed', async () => {
    const server = await startSdkServer({ mode: 'dual' });
    const gate = await startBearerGate(server, { accepts: (token) => token === 'u1-2' });
    const asked: boolean[] = [];
    const tokenFor = async (_: string, renew: boolean) => {
      asked.push(renew);
      return asked.includes(true) ? 'u1-2' : 'u1-1';
    };
    const toolset = await toolsOf({ id: 'u1', tokenFor }, gate.url, [new URL(gate.url).host]);
    try {
      expect(namesOf(toolset.tools)).toContain('crm__echo');
      expect(gate.tokens().slice(0, 3)).toEqual(['u1-1', 'u1-2', 'u1-2']);
      expect(asked.filter((renew) => renew)).toHaveLength(1);
    } finally {
      await toolset.close();
      await Promise.all([gate.close(), server.close()]);
    }
  });

  it('oauth: a user agrees once, and what was stored serves the next toolset', async () => {
    const as = await startOAuthServer();
    const rs = await startSdkServer({ mode: 'dual', onRequest: protect(() => ({ issuer: as })) });
    const callback = 'https://app.example/callback';
    const provider = providerOver(new Map(), callback);
    const first = await open({ id: 'u1' }, rs.url, provider);
    try {
      const answer = await as.visit(pageOf(first)!);
      await onCallback(first, new Request(`${callback}?${answer}`));
      expect(pageOf(first)).toBeUndefined();
      expect(namesOf(first.tools)).toContain('crm__echo');
      const second = await open({ id: 'u1' }, rs.url, provider);
      expect(pageOf(second)).toBeUndefined();
      as.expire();
      await second.tools.crm__echo!.execute({ message: 'x' });
      await second.close();
    } finally {
      await first.close();
      await Promise.all([as.close(), rs.close()]);
    }
  });

  it('config: servers of a file, and what was left out of it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-toolset-'));
    const entries = { docs: { type: 'http', url: inject('sdkDualUrl') }, broken: { type: 'http' } };
    writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: entries }));
    const said: string[] = [];
    try {
      const toolset = await configuredToolsOf(folder, ({ code, message }) => said.push(`${code}: ${message}`));
      expect(namesOf(toolset.tools)).toContain('docs__echo');
      expect(said).toContain('entry-skipped: The entry `broken` is not used: see its `url`.');
      await toolset.close();
    } finally {
      rmSync(folder, { recursive: true });
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

  it('stdio: a published program serves a folder, and is gone with all that started it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-toolset-files-'));
    writeFileSync(join(folder, 'note.txt'), 'A line.');
    const toolset = await filesIn(folder);
    try {
      const { content } = await toolset.tools.files__read_text_file!.execute({ path: join(folder, 'note.txt') });
      expect(content).toEqual([{ type: 'text', text: 'A line.' }]);
      // npx is a wrapper: the server is below it.
      expect(processesWith(folder).length).toBeGreaterThan(1);
    } finally {
      await toolset.close();
      rmSync(folder, { recursive: true });
    }
    expect(processesWith(folder)).toEqual([]);
  });

  it('worker: lists the tools of a server, calls one, and says what went wrong', async () => {
    const env = { MCP_SERVERS: { docs: inject('sdkDualUrl'), gone: 'http://127.0.0.1:9/mcp' } };
    const ask = async (path: string, body?: string) => {
      const init = body === undefined ? {} : { method: 'POST', body };
      const response = await worker.fetch(new Request(`http://worker/${path}`, init), env);
      return { status: response.status, body: await response.json() };
    };
    expect((await ask('docs')).body).toContain('docs__echo');
    const answered = { content: [{ type: 'text', text: 'hi' }] };
    expect(await ask('docs/docs__echo', '{"message":"hi"}')).toEqual({ status: 200, body: answered });
    const refused = (status: number, code: string) => ({
      status,
      body: { error: { code, message: expect.anything() } },
    });
    expect(await ask('docs/docs__fail', '{}')).toEqual(refused(422, 'tool-error'));
    expect(await ask('docs/docs__nowhere', '{}')).toEqual(refused(404, 'unknown-tool'));
    expect(await ask('docs/docs__echo', '{')).toEqual(refused(400, 'invalid-json'));
    expect(await ask('nobody')).toEqual(refused(404, 'unknown-server'));
    expect(await ask('gone')).toEqual(refused(502, 'connect-failed'));
  });

  it('demo: prints the tool map of published servers and the answers of their tools', { timeout: 60_000 }, async () => {
    const root = fileURLToPath(new URL('../../', import.meta.url));
    const temporary = mkdtempSync(join(tmpdir(), 'mcp-toolset-test-'));
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--import', 'tsx', 'examples/demo.ts'], {
      cwd: root,
      timeout: 50_000,
      env: { ...process.env, TMPDIR: temporary },
    });
    expect(readdirSync(temporary).filter((name) => name.startsWith('mcp-toolset-demo-'))).toEqual([]);
    rmSync(temporary, { recursive: true });
    expect(processesWith('mcp-toolset-demo-')).toEqual([]);
    expect(stdout).toMatch(/'everything' +│ 'ready' +│ '2025-11-25' +│ 13 /);
    expect(stdout).toMatch(/'local' +│ 'ready' +│ '2025-11-25' +│ 13 /);
    expect(stdout).toMatch(/'files' +│ 'ready' +│ '2025-11-25' +│ 14 /);
    expect(stdout).toContain("'everything__echo'");
    expect(stdout).toContain('Echo: hello');
    expect(stdout).toContain('Echo: hello from a process');
    expect(stdout).toContain('"Read through the tool map."');
    expect(stdout).toContain('The sum of 2 and 40 is 42.');
    expect(stdout).toContain('"mediaType":"image/png"');
    expect(stdout).toContain('McpInvalidArgumentsError [invalid-arguments]');
  });
});
