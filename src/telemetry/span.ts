import { isMcpError } from '../core/errors.js';
import type { SpanAttributes, SpanKind, Telemetry, TelemetrySpan } from './telemetry.js';

const NO_SPAN: TelemetrySpan = { set() {}, end() {} };

/** A span that cannot break the work it describes: a telemetry that throws is ignored (O3). */
export function startSpan(telemetry: Telemetry | undefined, kind: SpanKind, attributes: SpanAttributes): TelemetrySpan {
  if (telemetry === undefined) return NO_SPAN;
  const span = attempt(() => telemetry.start(kind, attributes));
  if (span === undefined) return NO_SPAN;
  return {
    set: (more) => void attempt(() => span.set(more)),
    end: (error) => void attempt(() => span.end(error)),
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
  if (telemetry?.onCall !== undefined) attempt(() => telemetry.onCall?.(call));
}

function attempt<T>(work: () => T): T | undefined {
  try {
    const value: unknown = work();
    if (value instanceof Promise) value.catch(() => {});
    return value as T;
  } catch {
    return undefined;
  }
}
