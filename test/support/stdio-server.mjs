/**
 * A server over standard input and output, without an SDK, which does what it is told by its tools and by MODE: bad things
 * among them. It writes nothing that it is not told to.
 *
 * MODE: `silent` answers nothing; `silent-probe` ignores what it does not know; `exit-on-probe` exits at it; `stubborn` ignores
 * the end of its input and SIGTERM; `crash` exits at once. FORK names a file: a child of its own is started there first, which
 * ignores SIGTERM and the end of the input, and whose id is written to the file.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { MODE = '', FORK, LOG } = process.env;
const GRANDCHILD = 'process.on("SIGTERM",()=>{});setInterval(()=>{},1000);console.error("up")';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
});

/** What each tool does with its arguments; a string is written as it is. */
const TOOLS = {
  echo: ({ message }) => text(message),
  about: () => text({ env: process.env, cwd: process.cwd(), argv: process.argv.slice(2), pid: process.pid }),
  exit: ({ code, signal, say = '' }) => {
    process.stderr.write(say, () => (signal ? process.kill(process.pid, signal) : process.exit(code)));
  },
  noise: ({ lines }, id) => {
    for (let line = 0; line < lines; line++) process.stdout.write(`noise ${line}\n`);
    send({ id, result: text('after the noise') });
  },
  raw: ({ chunks }, id) => {
    for (const chunk of chunks) process.stdout.write(chunk.replace('$ID', JSON.stringify(id)));
  },
  flood: async ({ bytes }, id) => {
    const block = Buffer.alloc(1024 * 1024, 'stderr ');
    for (let written = 0; written < bytes; written += block.length) {
      if (!process.stderr.write(block)) await new Promise((resolve) => process.stderr.once('drain', resolve));
    }
    send({ id, result: text('flooded') });
  },
  image: ({ bytes }) => ({
    content: [{ type: 'image', data: Buffer.alloc(bytes, 'pixel').toString('base64'), mimeType: 'image/png' }],
  }),
  long: async ({ bytes }) => {
    const block = 'x'.repeat(1024 * 1024);
    for (let written = 0; written < bytes; written += block.length) {
      if (!process.stdout.write(block)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  },
  hang: () => {},
  broken: () => ({ content: [{ type: 'text', text: 'No such day.' }], isError: true }),
};

const schema = { type: 'object', properties: {} };
const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'scripted', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: Object.keys(TOOLS).map((name) => ({ name, inputSchema: schema })) }),
  'tools/call': ({ name, arguments: args }, id) => TOOLS[name](args ?? {}, id),
  ping: () => ({}),
};

if (MODE === 'crash') {
  process.stderr.write('cannot start: \u001b[31mno config\u001b[0m\n');
  process.exit(7);
}
if (MODE === 'stubborn') {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1_000);
}
if (FORK !== undefined) {
  const child = spawn(process.execPath, ['-e', GRANDCHILD], {
    stdio: ['ignore', 'inherit', 'pipe'],
    detached: MODE === 'leaves',
  });
  await new Promise((resolve) => child.stderr.once('data', resolve));
  writeFileSync(FORK, String(child.pid));
  child.unref();
  child.stderr.unref?.();
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (LOG !== undefined) appendFileSync(LOG, `${method} ${JSON.stringify(params ?? {})}\n`);
  if (MODE === 'silent' || id === undefined) return;
  const answer = METHODS[method];
  if (answer === undefined) {
    if (MODE === 'exit-on-probe') process.exit(1);
    if (MODE !== 'silent-probe') send({ id, error: { code: -32601, message: 'Unknown' } });
    return;
  }
  const result = await answer(params ?? {}, id);
  if (result !== undefined) send({ id, result });
});
