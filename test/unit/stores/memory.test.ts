import { describe, it } from 'vitest';
import { createMemoryMcpConnectionStore } from '../../../src/stores/memory.js';
import { storeContract } from '../../../src/testing/store-contract.js';

describe('the contract of connection stores, in memory', () => {
  for (const { name, run } of storeContract(createMemoryMcpConnectionStore)) it(name, run, 30_000);

  const shared = createMemoryMcpConnectionStore();
  for (const { name, run } of storeContract(() => shared)) it(`in one store: ${name}`, run, 30_000);
});
