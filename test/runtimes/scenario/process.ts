/**
 * The scenario in a process of its own: Node, Bun, Deno. It ends by itself; one that stays has something left open, which
 * whoever started it sees.
 */
import { runScenario } from './scenario.js';

const { Bun, Deno } = globalThis as {
  readonly Bun?: { readonly version: string };
  readonly Deno?: { readonly version: { readonly deno: string } };
};
const version = Bun?.version ?? Deno?.version.deno ?? process.version.slice(1);
const checks = await runScenario(JSON.parse(process.env.STAND ?? ''));
console.log(JSON.stringify({ version, checks }));
