import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createKeep } from '../support/keep.js';
import { COMPATIBILITY, startWorker } from '../support/workerd-serve.js';

const keep = createKeep();
const MOST_MS = 50;

it.each(COMPATIBILITY)(
  'G9 in a Worker of $date no check of arguments holds up the loop for longer than 50 ms',
  {
    timeout: 180_000,
  },
  async ({ date, flags }) => {
    const worker = keep(
      await startWorker({
        source: `export { default } from './test/support/worker-costly.js';`,
        compatibility: { date, flags },
      }),
    );
    const ask = async (path: string): Promise<unknown> => (await fetch(`${worker.origin}${path}`)).json();
    /** Milliseconds of the processor that the runtime had so far; undefined where the system does not tell. */
    const usedMs = (): number | undefined => {
      const path = `/proc/${worker.pid}/stat`;
      if (!existsSync(path)) return undefined;
      const fields = readFileSync(path, 'utf8').split(') ')[1]!.split(' ');
      return (Number(fields[11]) + Number(fields[12])) * 10;
    };
    /** The least of several, and of the clock and the processor: what else the machine does only adds to them. */
    async function leastMs(path: string, most: number): Promise<number> {
      let least = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 6 && least > most; round++) {
        const [startedAt, before] = [performance.now(), usedMs()];
        await ask(path);
        const elapsed = performance.now() - startedAt;
        const after = usedMs();
        least = Math.min(least, elapsed, before === undefined || after === undefined ? elapsed : after - before);
      }
      return least;
    }

    const kinds = new Set<unknown>();
    const slow: unknown[] = [];
    const count = (await ask('/count')) as number;
    for (let index = 0; index < count; index++) {
      kinds.add(await ask(`/check?index=${index}`));
      const idle = await leastMs(`/nothing?index=${index}`, 2);
      const busy = await leastMs(`/check?index=${index}`, MOST_MS / 2);
      if (busy - idle > MOST_MS) slow.push([await ask(`/nothing?index=${index}`), Math.round(busy - idle)]);
    }
    expect(slow).toEqual([]);
    expect([...kinds].sort()).toEqual(['invalid', 'unchecked', 'valid']);
  },
);
