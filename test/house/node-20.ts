/**
 * Vitest 5 prints failures with two functions that Node 20 lacks; without them a failed run ends in a crash of the reporter.
 * The configuration alone loads this, in vitest's main process: tests run in others and see the platform as it is.
 */
function groupBy<Key, Item>(items: Iterable<Item>, key: (item: Item, index: number) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  let index = 0;
  for (const item of items) {
    const name = key(item, index++);
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return groups;
}

function withResolvers() {
  let resolve: unknown;
  let reject: unknown;
  const promise = new Promise((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

if (!('groupBy' in Map)) Object.defineProperty(Map, 'groupBy', { value: groupBy });
if (!('withResolvers' in Promise)) Object.defineProperty(Promise, 'withResolvers', { value: withResolvers });
