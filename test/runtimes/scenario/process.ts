/**
 * The scenario in a process of its own: Node, Bun, Deno. It ends by itself; one that stays has something left open, a timer for
 * instance, and then ends with an exit code that whoever started it sees.
 */
import { setTimeout } from 'node:timers';
import { runScenario } from './scenario.js';

/** Far shorter than the timers of a call or a connect, which are what is left open. */
const LINGER_MS = 3_000;

const { Bun, Deno } = globalThis as {
  readonly Bun?: { readonly version: string };
  readonly Deno?: { readonly version: { readonly deno: string } };
};
const version = Bun?.version ?? Deno?.version.deno ?? process.version.slice(1);
const checks = await runScenario(JSON.parse(process.env.STAND ?? ''));
console.log(JSON.stringify({ version, checks }));
// Nothing waits for this timer: it is there to fire only where something else keeps the process.
setTimeout(() => {
  console.error(`It still ran ${LINGER_MS} ms after its last check`);
  process.exit(1);
}, LINGER_MS).unref();
