import { createRequire } from 'node:module';
import { serveWorker } from '../../support/workerd-serve.js';
import type { Check, Stand } from '../scenario/scenario.js';
import { mustRun } from '../setup/command.js';
import { check, ROW_MS, type Row } from './row.js';

interface Setting {
  readonly date: string;
  readonly flags: readonly string[];
  readonly node: boolean;
}

/**
 * The oldest date that is promised and the installed runtime's own, each with Node's modules and without. At the new date
 * they are there unless they are switched off by name.
 */
const OLD = '2025-08-01';
const NEW = '2026-11-17';
const SETTINGS: readonly Setting[] = [
  { date: OLD, flags: [], node: false },
  { date: OLD, flags: ['nodejs_compat'], node: true },
  { date: NEW, flags: ['no_nodejs_compat', 'no_nodejs_compat_v2'], node: false },
  { date: NEW, flags: ['nodejs_compat'], node: true },
];

/** As the README tells users of esbuild. */
const CONDITIONS = ['workerd', 'worker', 'browser'];

export const workerRows: readonly Row[] = SETTINGS.map(({ date, flags, node }) => ({
  name: `workerd ${date} ${node ? 'nodejs_compat' : 'without Node'}`,
  run: async (stand, { consumer }) => {
    const { default: runtime }: { default: string } = createRequire(import.meta.url)('workerd');
    const version = await mustRun(runtime, ['--version'], { timeoutMs: ROW_MS });
    const code = await consumer.bundle('worker.js', CONDITIONS);
    const worker = await serveWorker({ code, compatibility: { date, flags }, runtime });
    try {
      const { hasNode, checks } = await ask(worker.origin, stand);
      const asAsked = check('has Node’s modules only where asked', hasNode === node, `It has: ${hasNode}`);
      return { version: version.trim().replace('workerd ', ''), checks: [...checks, asAsked] };
    } catch (error) {
      throw new Error(`${String(error)}\nThe runtime wrote:\n${worker.output()}`);
    } finally {
      await worker.close();
    }
  },
}));

interface Answer {
  readonly hasNode: boolean;
  readonly checks: readonly Check[];
}

async function ask(origin: string, stand: Stand): Promise<Answer> {
  const response = await fetch(origin, {
    method: 'POST',
    body: JSON.stringify(stand),
    signal: AbortSignal.timeout(ROW_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${text}`);
  return JSON.parse(text);
}
