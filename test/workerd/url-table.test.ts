import { expect, it } from 'vitest';
import { mcpTools } from '../../src/index.js';
import { checkUrlTable } from '../runtimes/scenario/url-table.js';

it('G1 G2 G3 W3 each URL with each list of hosts is judged as the table says', { timeout: 60_000 }, async () => {
  const { judged, wrong } = await checkUrlTable(mcpTools);
  expect(wrong).toEqual([]);
  expect(judged).toBeGreaterThan(1_000);
});
