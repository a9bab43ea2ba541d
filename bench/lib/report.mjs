import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import { busyShare, ROUNDS } from './measure.mjs';

const RESULTS = new URL('../results/', import.meta.url);
const readVersion = (path) => JSON.parse(readFileSync(path, 'utf8')).version;

function versions() {
  const { resolve } = createRequire(import.meta.url);
  // The peers' package files are not all exported; their folders are found by an export that is.
  const peer = (name, entry) => {
    const path = resolve(entry);
    return readVersion(`${path.slice(0, path.lastIndexOf(name) + name.length)}/package.json`);
  };
  return {
    'mcp-toolset': readVersion(new URL('../../package.json', import.meta.url)),
    client2: peer('@modelcontextprotocol/client', '@modelcontextprotocol/client'),
    sdk: peer('@modelcontextprotocol/sdk', '@modelcontextprotocol/sdk/client/index.js'),
    node: process.versions.node,
  };
}

function machine() {
  const cpus = os.cpus();
  return {
    cpu: `${cpus.length} × ${cpus[0]?.model.trim()}`,
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
  };
}

/** Writes `results/<name>.json` and prints the tables as Markdown. */
export function report(name, title, data, tables) {
  const busy = busyShare();
  const about = {
    command: `npm run bench -- ${name}`,
    date: new Date().toISOString(),
    rounds: ROUNDS,
    busy,
    machine: machine(),
    versions: versions(),
  };
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(new URL(`${name}.json`, RESULTS), `${JSON.stringify({ ...about, data }, undefined, 2)}\n`);
  console.log(`\n## ${title}\n`);
  console.log(
    `\`${about.command}\`, ${ROUNDS} rounds, medians; ${describe(about.machine)}; ${describe(about.versions)}.`,
  );
  if (busy !== undefined && busy > 0.2) {
    console.log(`**Noisy:** before the median round the machine was ${Math.round(busy * 100)} % busy with other work.`);
  }
  for (const { caption, head, rows } of tables) {
    console.log(`\n${caption}\n`);
    console.log(`| ${head.join(' | ')} |`);
    console.log(`|${head.map((_, index) => (index === 0 ? '---' : '---:')).join('|')}|`);
    for (const row of rows) console.log(`| ${row.map(show).join(' | ')} |`);
  }
}

const describe = (parts) =>
  Object.entries(parts)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');

/** A row's ratios to `bases`, as cells: the ratio of the wall clock, and that of CPU time in brackets. */
export const ratioCells = ({ ratios, cpuRatios }, bases) =>
  bases.map((base) => (ratios[base] === undefined ? '–' : `${show(ratios[base])} (${show(cpuRatios[base])})`));

function show(value) {
  if (typeof value !== 'number') return value ?? '–';
  if (Number.isInteger(value) && value !== 1) return String(value);
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}
