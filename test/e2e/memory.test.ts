import { request, type ServerResponse } from 'node:http';
import { constants, createGzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { listen, readBody } from '../support/http-host.js';
import { createKeep } from '../support/keep.js';
import { runProgram } from '../support/program.js';
import { HANDLED, startRawServer } from '../support/raw-server.js';
import { startRawSse } from '../support/raw-sse.js';
import { tool } from './rig.js';

const keep = createKeep();
/** The default of `limits.responseBytes`. */
const LIMIT = 32 * 1024 * 1024;
const MB = 1024 * 1024;
const BOMB_MB = 300;

/** 300 MB of one letter after `head`, as about 300 KB of gzip. */
async function bombOf(head: string): Promise<Buffer> {
  const gzip = createGzip();
  const chunks: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve) => gzip.on('end', resolve));
  const piece = Buffer.alloc(MB, 'x');
  gzip.write(head);
  for (let sent = 0; sent < BOMB_MB; sent++) await new Promise((resolve) => gzip.write(piece, resolve));
  gzip.end();
  await ended;
  return Buffer.concat(chunks);
}

/** Writes the same again and again, as fast as it is taken. */
function writeForEver(response: ServerResponse, piece: string): void {
  const more = () => {
    if (!response.destroyed) response.write(piece, () => setImmediate(more));
  };
  more();
}

const JSON_HEAD = '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"';
const jsonType = { 'content-type': 'application/json' };
const sseType = { 'content-type': 'text/event-stream' };
const gzipped = { 'content-encoding': 'gzip' };

/** What is written in answer to a call, over a response of its own that the server never ends. */
const ANSWERS: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  'a JSON body that grows in gzip': async (response) =>
    response.writeHead(200, { ...jsonType, ...gzipped }).write(await bombOf(JSON_HEAD)),
  'an error body that grows in gzip': async (response) =>
    response.writeHead(500, { ...jsonType, ...gzipped }).write(await bombOf(JSON_HEAD)),
  'an event that grows in gzip': async (response) =>
    response.writeHead(200, { ...sseType, ...gzipped }).write(await bombOf(`data: ${JSON_HEAD}`)),
  'an endless JSON body': (response) => writeForEver(response.writeHead(200, jsonType), 'x'.repeat(65_536)),
  'an endless line': (response) => {
    response.writeHead(200, sseType).write('data: ');
    writeForEver(response, 'x'.repeat(65_536));
  },
  'an endless event of short lines': (response) =>
    writeForEver(response.writeHead(200, sseType), `data: ${'x'.repeat(70)}\n`.repeat(800)),
  'an endless run of comments': (response) => writeForEver(response.writeHead(200, sseType), ': ping\n'.repeat(8_000)),
};

/** The same on the one stream of HTTP+SSE, where a call is under way. */
const STREAMS: Readonly<Record<string, (stream: ServerResponse) => void>> = {
  'an endless line': (stream) => {
    stream.write('data: ');
    writeForEver(stream, 'x'.repeat(65_536));
  },
  'an endless event of short lines': (stream) => writeForEver(stream, `data: ${'x'.repeat(70)}\n`.repeat(800)),
  'an endless run of comments': (stream) => writeForEver(stream, ': ping\n'.repeat(8_000)),
};

interface Figures {
  readonly code: string;
  /** Milliseconds since 1970. */
  readonly rejectedAt: number;
  /** How much the process grew at its highest above what it was before the call, in bytes. */
  readonly grownBy: number;
  /** Whether a second call was served. */
  readonly next: boolean;
}

/** Calls `evil` and then `good` in a process of its own. */
async function measure(type: 'http' | 'sse', url: string, timeoutMs = 10_000): Promise<Figures> {
  const server = JSON.stringify({ name: 's', type, url, timeoutMs });
  const text = await runProgram(
    `
    const { tools, close } = await mcpTools([${server}], { onServerError: 'throw' });
    await tools.s__good.execute({});
    gc();
    const before = process.memoryUsage().rss;
    const code = await tools.s__evil.execute({}).then(() => 'ok', (error) => error.code);
    const rejectedAt = Date.now();
    // In kilobytes; the highest that the process has ever been.
    const grownBy = process.resourceUsage().maxRSS * 1024 - before;
    // The connection that was cut is ended before the process is.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const next = await tools.s__good.execute({}).then(() => true, () => false);
    console.log(JSON.stringify({ code, rejectedAt, grownBy, next }));
    await close();
    process.exit();
    `,
    { flags: ['--expose-gc'] },
  );
  return JSON.parse(text) as Figures;
}

function show(what: string, { code, grownBy, rejectedAt }: Figures, closedAt: number | undefined): void {
  const closed = closedAt === undefined ? 'not closed' : `closed after ${closedAt - rejectedAt} ms`;
  if (process.env.SHOW_FIGURES !== undefined) console.info(what, code, `+${Math.round(grownBy / MB)} MB`, closed);
}

const tools = ['good', 'evil'].map((name) => tool(name));

/** The eras differ in what is around a body. */
const LEGACY_TOO = ['a JSON body that grows in gzip', 'an endless line'];
const answersOf = (era: 'legacy' | 'modern') =>
  Object.entries(ANSWERS).filter(([what]) => era === 'modern' || LEGACY_TOO.includes(what));

describe.each(['legacy', 'modern'] as const)('over Streamable HTTP, %s', (era) => {
  it.each(answersOf(era))(
    'G6 %s is cut at the limit, within twice its memory',
    { timeout: 60_000 },
    async (what, answer) => {
      const server = keep(
        await startRawServer({
          era,
          tools,
          onCall({ name }, { response }) {
            if (name === 'good') return { content: [] };
            void answer(response);
            return HANDLED;
          },
        }),
      );
      const figures = await measure('http', server.url);
      const evil = server.requests.find(({ params }) => (params as { name?: unknown } | undefined)?.name === 'evil')!;
      show(`${era}, ${what}`, figures, evil.closedAt);
      expect(figures).toMatchObject({ code: 'limit', next: true });
      expect(figures.grownBy).toBeLessThan(2 * LIMIT);
      expect(evil.closedAt! - figures.rejectedAt).toBeLessThan(1_000);
    },
  );

  it.each([
    ['a JSON body', jsonType],
    ['an event stream', sseType],
  ] as const)('G6 C2 %s of one byte a second ends with the call’s time', { timeout: 60_000 }, async (_, type) => {
    const server = keep(
      await startRawServer({
        era,
        tools,
        onCall({ name }, { response }) {
          if (name === 'good') return { content: [] };
          drip(response.writeHead(200, type));
          return HANDLED;
        },
      }),
    );
    const figures = await measure('http', server.url, 2_500);
    const evil = server.requests.find(({ params }) => (params as { name?: unknown } | undefined)?.name === 'evil')!;
    show(`${era}, one byte a second`, figures, evil.closedAt);
    expect(figures).toMatchObject({ code: 'timeout', next: true });
    expect(figures.grownBy).toBeLessThan(2 * LIMIT);
    expect(evil.closedAt! - figures.rejectedAt).toBeLessThan(1_000);
  });
});

/** A byte a second. */
function drip(response: ServerResponse, text = JSON_HEAD): void {
  let at = 0;
  const timer = setInterval(() => response.write(text[at++ % text.length]!), 1_000);
  response.on('close', () => clearInterval(timer));
  response.write(text[at++]!);
}

describe('over HTTP+SSE', () => {
  const closedAt = (requests: Awaited<ReturnType<typeof startRawSse>>['requests']) =>
    requests.find(({ http }) => http === 'GET')!.closedAt;

  it.each(Object.entries(STREAMS))(
    'G6 %s is cut at the limit, within twice its memory',
    { timeout: 60_000 },
    async (what, write) => {
      const server = keep(
        await startRawSse({
          tools,
          onCall({ name }, { stream }) {
            if (name === 'good') return { content: [] };
            write(stream);
            return HANDLED;
          },
        }),
      );
      const figures = await measure('sse', server.url);
      show(`SSE, ${what}`, figures, closedAt(server.requests));
      expect(figures).toMatchObject({ code: 'limit', next: true });
      expect(figures.grownBy).toBeLessThan(2 * LIMIT);
      expect(closedAt(server.requests)! - figures.rejectedAt).toBeLessThan(1_000);
    },
  );

  it('G6 a stream that grows in gzip is cut at the limit, within twice its memory', { timeout: 60_000 }, async () => {
    const server = keep(
      await startRawSse({
        tools,
        async onCall({ name }, { stream }) {
          if (name === 'good') return { content: [] };
          stream.write('data: ');
          const piece = Buffer.alloc(MB, 'x');
          for (let sent = 0; sent < BOMB_MB && !stream.destroyed; sent++) {
            await new Promise((resolve) => stream.write(piece, resolve));
          }
          return HANDLED;
        },
      }),
    );
    const proxy = keep(await startGzipProxy(server.origin));
    const figures = await measure('sse', `${proxy.origin}/sse`);
    show('SSE, gzip', figures, closedAt(server.requests));
    expect(figures).toMatchObject({ code: 'limit', next: true });
    expect(figures.grownBy).toBeLessThan(2 * LIMIT);
    expect(closedAt(server.requests)! - figures.rejectedAt).toBeLessThan(1_000);
  });

  it('G6 C2 an event of one byte a second ends with the call’s time, and the stream lives on', {
    timeout: 60_000,
  }, async () => {
    const server = keep(
      await startRawSse({
        tools,
        onCall({ name }, { stream }) {
          if (name === 'good') return { content: [] };
          drip(stream, ': a comment');
          return HANDLED;
        },
      }),
    );
    const figures = await measure('sse', server.url, 2_500);
    show('SSE, one byte a second', figures, closedAt(server.requests));
    expect(figures).toMatchObject({ code: 'timeout' });
    expect(figures.grownBy).toBeLessThan(2 * LIMIT);
  });
});

/** Compresses every answer on its way, as a proxy of somebody's may. */
async function startGzipProxy(origin: string): Promise<{ readonly origin: string; close(): Promise<void> }> {
  return listen(async (incoming, response) => {
    const body = await readBody(incoming);
    const { host: _host, ...headers } = incoming.headers;
    const onward = request(new URL(incoming.url ?? '/', origin), { method: incoming.method, headers, agent: false });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...gzipped });
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
      answer.on('error', () => response.destroy());
      answer.pipe(gzip).pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end(body);
  });
}
