import { LIBRARY } from '../clients/ours.mjs';
import { runFresh } from '../lib/fresh.mjs';
import { interleave, summarise } from '../lib/measure.mjs';
import { report } from '../lib/report.mjs';

/** How long importing takes in a fresh process. */
const sdk = '@modelcontextprotocol/sdk/client';
const variants = [
  { label: 'nothing', modules: ['data:text/javascript,'] },
  { label: 'mcp-toolset', modules: [LIBRARY] },
  { label: 'client2', modules: ['@modelcontextprotocol/client'] },
  { label: 'sdk', modules: [`${sdk}/index.js`, `${sdk}/streamableHttp.js`] },
];

const codeFor = (modules) => `
  const start = performance.now();
  await Promise.all(${JSON.stringify(modules)}.map((name) => import(name)));
  const ms = performance.now() - start;
  globalThis.gc();
  console.log(JSON.stringify({ ms, heap: process.memoryUsage().heapUsed / 1e6 }));
`;

const samples = await interleave(variants, async ({ modules }) => runFresh(codeFor(modules)));
const summary = summarise(samples, 'ms', ['client2', 'sdk']);
report('import', 'Import', summary, [
  {
    caption: 'Fresh process: ms to import, relative to each base (paired), and MB of heap after GC',
    head: ['module', 'ms', '/ client2', '/ sdk', 'heap'],
    rows: Object.entries(summary).map(([label, row]) => [label, row.ms, row.ratios.client2, row.ratios.sdk, row.heap]),
  },
]);
