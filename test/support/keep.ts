import { afterEach } from 'vitest';

/** Keeps what a test file starts: it is closed after each test, the last one first. */
export function createKeep() {
  const kept: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const each of kept.splice(0).reverse()) await each.close();
  });
  return <T extends { close(): Promise<unknown> }>(closable: T): T => {
    kept.push(closable);
    return closable;
  };
}
