import { isMcpError } from '../core/errors.js';
import { quietly } from '../core/quietly.js';
import type { SpanAttributes, SpanKind, Telemetry, TelemetrySpan } from './telemetry.js';

const NO_SPAN: TelemetrySpan = { set() {}, end() {} };

/** A span that cannot break the work it describes: a telemetry that throws is ignored (O3). */
export function startSpan(telemetry: Telemetry | undefined, kind: SpanKind, attributes: SpanAttributes): TelemetrySpan {
  if (telemetry === undefined) return NO_SPAN;
  const span = quietly(() => telemetry.start(kind, attributes));
  if (span === undefined) return NO_SPAN;
  return {
    set: (more) => void quietly(() => span.set(more)),
    end: (error) => void quietly(() => span.end(error)),
  };
}

/** Runs `work` inside a span, which ends with the error where it rejects with one of ours. */
export async function inSpan<T>(
  telemetry: Telemetry | undefined,
  kind: SpanKind,
  attributes: SpanAttributes,
  work: (span: TelemetrySpan) => Promise<T>,
): Promise<T> {
  const span = startSpan(telemetry, kind, attributes);
  try {
    const value = await work(span);
    span.end();
    return value;
  } catch (error) {
    span.end(isMcpError(error) ? error : undefined);
    throw error;
  }
}

type CallReport = Parameters<NonNullable<Telemetry['onCall']>>[0];

/** Tells the host of one finished call. */
export function reportCall(telemetry: Telemetry | undefined, call: CallReport): void {
  if (telemetry?.onCall !== undefined) quietly(() => telemetry.onCall?.(call));
}
