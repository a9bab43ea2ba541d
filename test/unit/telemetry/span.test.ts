import { expect, it } from 'vitest';
import { McpClosedError } from '../../../src/core/errors.js';
import { inSpan, reportCall, startSpan } from '../../../src/telemetry/span.js';
import type { Telemetry } from '../../../src/telemetry/telemetry.js';

it('work runs without a telemetry', async () => {
  expect(await inSpan(undefined, 'close', {}, async () => 1)).toBe(1);
  startSpan(undefined, 'call', {}).end();
  reportCall(undefined, { toolName: 't', server: 's', durationMs: 1, outcome: 'ok' });
});

it('a span ends once, with an error only where it is ours', async () => {
  const ends: unknown[] = [];
  const telemetry: Telemetry = { start: () => ({ set() {}, end: (...args) => void ends.push(args[0]) }) };
  const own = new McpClosedError('closed');
  await inSpan(telemetry, 'close', {}, async () => 1);
  await expect(inSpan(telemetry, 'close', {}, () => Promise.reject(own))).rejects.toBe(own);
  await expect(inSpan(telemetry, 'close', {}, () => Promise.reject(new Error('secret')))).rejects.toThrow('secret');
  expect(ends).toEqual([undefined, own, undefined]);
});

it('methods keep their receiver', () => {
  class Tracer {
    readonly seen: string[] = [];
    start(kind: string) {
      this.seen.push(kind);
      return { set() {}, end: () => void this.seen.push('end') };
    }
    onCall() {
      this.seen.push('call');
    }
  }
  const tracer = new Tracer();
  startSpan(tracer, 'connect', {}).end();
  reportCall(tracer, { toolName: 't', server: 's', durationMs: 1, outcome: 'ok' });
  expect(tracer.seen).toEqual(['connect', 'end', 'call']);
});

it('one that rejects leaves no unhandled rejection', async () => {
  const reject = () => Promise.reject(new Error('down'));
  const telemetry = { start: () => ({ set: reject, end: reject }), onCall: reject } as unknown as Telemetry;
  const span = startSpan(telemetry, 'call', {});
  span.set({});
  span.end();
  reportCall(telemetry, { toolName: 't', server: 's', durationMs: 1, outcome: 'ok' });
  await new Promise((resolve) => setTimeout(resolve, 5));
});
