import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { McpError, McpOptions } from '../../src/index.js';
import { rejection } from './rig.js';
import { createStdioKit } from './stdio-kit.js';

const { folder, wire } = createStdioKit();

/** A server that reads when it is told to and not before: each statement of the test runs at a call, as `call(args, id)`. */
const PROGRAM = `
  const { appendFileSync, readSync, writeSync, closeSync } = require('node:fs');
  const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  const write = (text) => {
    for (let left = Buffer.from(text); left.length > 0; ) {
      try { left = left.subarray(writeSync(1, left)); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
    }
  };
  const send = (message) => write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  const answer = (id, text) => send({ id, result: { content: [{ type: 'text', text }] } });
  const note = (text) => appendFileSync(process.env.LOG, text + '\\n');
  const methods = {
    initialize: ({ id, params: { protocolVersion } }) =>
      send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'h', version: '1' } } }),
    'tools/list': ({ id }) => send({ id, result: { tools: [{ name: 'do', inputSchema: { type: 'object' } }] } }),
    'tools/call': ({ id, params }) => call(params.arguments, id),
  };
  const chunk = Buffer.alloc(65536);
  const serve = () => {
    for (let text = ''; ; ) {
      const size = readSync(0, chunk);
      if (size === 0) process.exit(0);
      const lines = (text + chunk.toString('latin1', 0, size)).split('\\n');
      text = lines.pop();
      for (const line of lines) methods[JSON.parse(line).method]?.(JSON.parse(line));
    }
  };
`;

async function start(call: string, options: McpOptions = {}, env: Readonly<Record<string, string>> = {}) {
  const { toolset } = await wire({ args: ['-e', `${PROGRAM}; ${call}; serve();`], env }, options);
  const run = (args: Readonly<Record<string, unknown>> = {}) =>
    toolset.tools.s__do!.execute(args).then(
      ({ content }) => (content[0] as { text: string }).text,
      (error: McpError) => error.code,
    );
  return { toolset, run };
}

describe('a child that reads slowly', () => {
  it('C5 and ends with many calls on their way is sent none of them twice', async () => {
    const log = join(folder(), 'log');
    const { run } = await start(
      `let calls = 0;
       const call = ({ number }, id) => {
         if (calls === 0) pause(500);
         note(number);
         if (++calls === 20) process.exit(3);
         pause(5);
         answer(id, 'done');
       }`,
      {},
      { LOG: log },
    );
    // More than the pipe takes at once.
    const pad = 'x'.repeat(20_000);
    const ended = await Promise.all(Array.from({ length: 50 }, (_, number) => run({ number, pad })));
    const executed = readFileSync(log, 'utf8').trim().split('\n');
    expect(executed).toHaveLength(new Set(executed).size);
    expect(new Set(ended)).toEqual(new Set(['done', 'outcome-unknown']));
  });
});

describe('a message that the SDK would not take', () => {
  it('G9 does not end this process, however deep it is', async () => {
    const { run } = await start(
      `const call = (_, id) => {
         write('{"jsonrpc":"2.0","method":"notifications/message","params":' + '['.repeat(5e5) + ']'.repeat(5e5) + '}\\n');
         answer(id, 'after it');
       }`,
    );
    expect(await run()).toBe('after it');
  });

  it.each([
    ['"result":{"content":[{"type":"text","text":"x"}]},"error":null', 'x'],
    ['"result":{"content":[{"type":"text","text":"x"}]},"more":1', 'x'],
    ['"result":{"content":[{"type":"text","text":"x"}]},"__proto__":{"a":1}', 'x'],
    ['"result":{"content":[]},"error":{"code":3,"message":"no"}', 'protocol'],
    ['"error":"no"', 'protocol'],
    ['"error":{"code":1.5}', 'protocol'],
    ['"error":{"code":"x","message":null}', 'protocol'],
    ['"error":[]', 'protocol'],
    ['"result":null', 'protocol'],
  ])('R1 is an answer all the same, and at once: %s', async (members, ended) => {
    const { run } = await start(
      `const call = ({ members }, id) => write('{"jsonrpc":"2.0","id":' + id + ',' + members + '}\\n')`,
    );
    const startedAt = performance.now();
    expect(await run({ members })).toBe(ended);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it.each(['result: null', 'result: 5', 'error: 5', 'error: { code: 1.5 }', 'result: {}'])(
    'W1 ends a handshake at once: %s',
    async (answered) => {
      const startedAt = performance.now();
      const { toolset } = await start(
        `const call = () => {}; methods.initialize = ({ id }) => send({ id, ${answered} })`,
      );
      expect(toolset.servers).toMatchObject([{ state: 'failed' }]);
      expect(toolset.servers[0]?.error?.code).not.toBe('timeout');
      expect(performance.now() - startedAt).toBeLessThan(5_000);
    },
  );
});

describe('a child that breaks off', () => {
  it.each([
    ['exit 0', 'exit code 0'],
    ['echo no config >&2; exit 4', 'exit code 4. The end of its standard error:\nno config'],
    ['kill -SEGV $$', 'signal SIGSEGV'],
  ])('T5 before it has read a word says how: %s', async (script, how) => {
    const errors = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { toolset } = await wire({ command: 'sh', args: ['-c', script] });
        return toolset.servers[0]?.error;
      }),
    );
    for (const error of errors) {
      expect(error?.code).toBe('process-failed');
      expect(error?.message).toContain(how);
    }
  });

  it('C4 and reads no more is replaced, and the call is sent to the next', async () => {
    const { run } = await start(
      'const call = (_, id) => { closeSync(0); answer(id, String(process.pid)); pause(60_000); }',
    );
    const pids = [await run(), await run()];
    expect(pids.map(Number)).not.toContain(Number.NaN);
    expect(pids[0]).not.toBe(pids[1]);
  });

  it('T5 C5 and writes no more is replaced, and the call may have run', async () => {
    const { toolset, run } = await start(
      'const call = ({ last }, id) => { if (!last) return answer(id, "served"); closeSync(1); pause(60_000); }',
    );
    const startedAt = performance.now();
    const error = await rejection(toolset.tools.s__do!.execute({ last: true }));
    expect(error).toMatchObject({ code: 'outcome-unknown', cause: { code: 'process-failed' } });
    expect((error.cause as McpError).message).toContain('closed its standard output');
    expect(await run()).toBe('served');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe('a child that writes too much', () => {
  it('T5 does not hold up this process, without end as it may be', async () => {
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    const { toolset } = await wire({ command: 'yes', args: ['['] }, { connectTimeoutMs: 1_500 });
    clearInterval(timer);
    expect(toolset.servers[0]?.error?.code).toBe('timeout');
    // 64 KiB are read at once.
    expect(longest).toBeLessThan(1_500);
  });

  it('T5 C5 loses no answer that came before a line that is too long', async () => {
    const { run } = await start(
      `let first;
       const call = ({ end }, id) => {
         if (!end) return first = id;
         write(JSON.stringify({ jsonrpc: '2.0', id: first, result: { content: [{ type: 'text', text: 'in time' }] } }) +
           '\\n' + 'x'.repeat(2000));
       }`,
      { limits: { responseBytes: 1_000 } },
    );
    expect(await Promise.all([run(), run({ end: true })])).toEqual(['in time', 'limit']);
  });

  it('T5 and ends is read to its end', async () => {
    const { run } = await start(
      `const call = (_, id) => {
         for (let each = 0; each < 20; each++)
           write('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}\\n'.repeat(1_000));
         answer(id, 'last');
         process.exit(0);
       }`,
    );
    expect(await run()).toBe('last');
  });
});
