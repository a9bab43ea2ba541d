/** The scenario of servers that are processes, on Node, Bun and Deno. It ends by itself, as process.ts does. */
import { describe, same, within } from './assertions.js';
import type { Check } from './scenario.js';
import { registersOnce, STDIO_CHECKS } from './stdio-checks.js';
import { cycles, listeners } from './stdio-cycles.js';
import type { StdioStand } from './stdio-stand.js';
import { watchUnhandled } from './unhandled.js';

const CHECK_MS = 30_000;

const stand: StdioStand = JSON.parse(process.env.STAND ?? '');
const unhandled = watchUnhandled();
const listening = listeners();
const checks: Check[] = [];

async function check(name: string, work: () => Promise<void>): Promise<void> {
  const startedAt = Date.now();
  const result = await within(CHECK_MS, work()).then(
    () => ({ ok: true }),
    (error: unknown) => ({ ok: false, error: describe(error) }),
  );
  checks.push({ name: `stdio: ${name}`, ms: Date.now() - startedAt, ...result });
}

await check('the entry is imported twice', () => registersOnce(stand));
for (const [name, work] of STDIO_CHECKS) await check(name, () => work(stand));
await check('200 cycles leave no process, handle or listener', () => cycles(stand));
await check('no listener stays on the process', async () => same(listeners(), listening));
await check('nothing is left unhandled', async () => {
  same(await unhandled.control(), true);
  same(unhandled.left(), []);
});
console.log(JSON.stringify({ checks }));
