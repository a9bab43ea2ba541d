/** The scenario of stores in a file, on Node, Bun and Deno. It ends by itself, as process.ts does. */
import { describe, within } from './assertions.js';
import type { Check } from './scenario.js';
import { storeChecks } from './stores-checks.js';
import type { StoresStand } from './stores-stand.js';

const CHECK_MS = 90_000;

const stand: StoresStand = JSON.parse(process.env.STAND ?? '');
const checks: Check[] = [];
for (const [name, work] of storeChecks(stand)) {
  const startedAt = Date.now();
  const result = await within(CHECK_MS, work(stand)).then(
    () => ({ ok: true }),
    (error: unknown) => ({ ok: false, error: describe(error) }),
  );
  checks.push({ name: `stores: ${name}`, ms: Date.now() - startedAt, ...result });
}
console.log(JSON.stringify({ checks }));
