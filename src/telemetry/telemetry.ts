import type { McpError } from '../core/errors.js';

export type SpanKind = 'connect' | 'discover' | 'call' | 'close';
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface TelemetrySpan {
  set(attributes: SpanAttributes): void;
  /** Called once. */
  end(error?: McpError): void;
}

/** A port for traces and metrics (O3). Without one nothing is measured. */
export interface Telemetry {
  start(kind: SpanKind, attributes: SpanAttributes): TelemetrySpan;
  onCall?(call: {
    readonly toolName: string;
    readonly server: string;
    readonly durationMs: number;
    /** `refused`: nothing was sent. `tool-error`: the tool ran and failed. */
    readonly outcome: 'ok' | 'tool-error' | 'refused' | 'failed';
  }): void;
}
