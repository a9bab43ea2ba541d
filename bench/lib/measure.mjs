import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Rounds of one comparison; fewer for a quick look: `BENCH_ROUNDS=3`. */
export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 11);

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const busySamples = [];

/** How busy the machine was before each round, from 0 to 1. */
export const busyShare = () => (busySamples.length === 0 ? undefined : median(busySamples));

/** Waits, at most `ms`, for a moment in which others leave the machine alone. */
export async function calm(ms = 2_000) {
  const end = performance.now() + ms;
  let busy = 1;
  do {
    const before = cpuTimes();
    await sleep(200);
    const after = cpuTimes();
    busy = 1 - (after.idle - before.idle) / Math.max(1, after.total - before.total);
  } while (busy > 0.2 && performance.now() < end);
  busySamples.push(busy);
}

function cpuTimes() {
  let idle = 0;
  let total = 0;
  for (const { times } of os.cpus()) {
    idle += times.idle;
    total += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return { idle, total };
}

/** Runs `work` and gives wall and CPU time in ms with its value. The heap is collected first, so that each starts alike. */
export async function timed(work) {
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  const start = performance.now();
  const value = await work();
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, cpu: (user + system) / 1000, value };
}

/**
 * Runs every variant once a round, in a new random order each round, and keeps what each `sample` returns (an object of
 * numbers). The first `warmUp` rounds are thrown away.
 */
export async function interleave(variants, sample, { rounds = ROUNDS, warmUp = 2 } = {}) {
  const samples = new Map(variants.map(({ label }) => [label, []]));
  for (let round = -warmUp; round < rounds; round++) {
    if (round >= 0) await calm();
    for (const variant of shuffle(variants)) {
      const taken = await sample(variant);
      if (round >= 0) samples.get(variant.label).push(taken);
    }
  }
  return samples;
}

function shuffle(values) {
  const left = [...values];
  const out = [];
  while (left.length > 0) out.push(...left.splice(Math.floor(Math.random() * left.length), 1));
  return out;
}

/**
 * Medians of every number, and of the ratios to each base, taken round by round: `ratios` of `key`, and `cpuRatios` where
 * CPU time was taken. On a busy machine CPU time is the steadier of the two.
 */
export function summarise(samples, key, bases) {
  const summary = {};
  for (const [label, taken] of samples) {
    const row = {};
    for (const name of Object.keys(taken[0])) row[name] = median(taken.map((each) => each[name]));
    row.ratios = ratiosOf(samples, taken, key, bases);
    if ('cpu' in taken[0]) row.cpuRatios = ratiosOf(samples, taken, 'cpu', bases);
    summary[label] = row;
  }
  return summary;
}

function ratiosOf(samples, taken, key, bases) {
  const ratios = {};
  for (const base of bases) {
    const other = samples.get(base);
    if (other !== undefined) ratios[base] = median(taken.map((each, round) => each[key] / other[round][key]));
  }
  return ratios;
}
