import type { TransportFactory } from '../core/transport.js';

/** Shared by every copy of this library in a process (T1). */
const REGISTRY = Symbol.for('mcp-toolset.transports');

type Factories = Map<string, TransportFactory>;

function factories(): Factories {
  const holder = globalThis as { [REGISTRY]?: Factories };
  holder[REGISTRY] ??= new Map();
  return holder[REGISTRY];
}

/** The first of a kind stays: registering again changes nothing. */
export function registerTransport(factory: TransportFactory): void {
  const all = factories();
  if (!all.has(factory.type)) all.set(factory.type, factory);
}

export function registeredTransport(type: string): TransportFactory | undefined {
  return factories().get(type);
}
