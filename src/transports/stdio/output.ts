import { isRecord, readJson } from '../../core/json.js';
import type { TransportContext } from '../../core/transport.js';
import { createLineReader } from './lines.js';

/** Reads messages off what a process writes. */
export interface Output {
  /** How many lines the chunk has completed; undefined once a line is over the limit. */
  take(chunk: Uint8Array): number | undefined;
}

/** Lines that are no messages are left out and told of (T5). */
export function createOutput(context: TransportContext, deliver: (message: object) => void): Output {
  const reader = createLineReader(context.limits.responseBytes);
  let noise = 0;
  const takeLine = (line: string) => {
    const messages = readMessages(line);
    if (messages === undefined) reportNoise(++noise, context);
    else for (const message of messages) deliver(message);
  };
  return {
    take(chunk) {
      let lines = 0;
      const fits = reader.take(chunk, (line) => {
        lines += 1;
        takeLine(line);
      });
      return fits ? lines : undefined;
    },
  };
}

/** A process may write as much as it likes: the first line is told of, and every tenfold. What is in it may be anybody's secret. */
function reportNoise(lines: number, { server, report }: TransportContext): void {
  if (!/^10*$/.test(String(lines))) return;
  const message = `Server \`${server}\` has written to its standard output what is no message, ${lines} lines so far; it should log to standard error.`;
  report({ code: 'process-output', level: 'warn', message, server, data: { lines } });
}

/** The messages on a line: one, or several in revision 2025-03-26; undefined where it is something else. */
function readMessages(line: string): readonly object[] | undefined {
  // To parse what cannot be one costs many times as much as to look.
  if (!/^\s*[[{]/.test(line)) return line.trim() === '' ? [] : undefined;
  const value = readJson(line);
  const messages = Array.isArray(value) ? value : [value];
  return messages.length > 0 && messages.every(isMessage) ? messages : undefined;
}

function isMessage(value: unknown): boolean {
  return isRecord(value) && value.jsonrpc === '2.0';
}
