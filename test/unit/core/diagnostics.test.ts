import { afterEach, describe, expect, it, vi } from 'vitest';
import { createReport, type Diagnostic } from '../../../src/core/diagnostics.js';

const diagnostic = (message: string, level: Diagnostic['level'] = 'warn'): Diagnostic => ({
  code: 'filter-unmatched',
  level,
  message,
  data: { entry: 'x' },
});
afterEach(() => void vi.restoreAllMocks());

describe('a report', () => {
  it('O1 reaches the listener as it is, each time, and not the console', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const seen: Diagnostic[] = [];
    const report = createReport((given) => seen.push(given));
    const given = diagnostic('m', 'info');
    report(given);
    report(given);
    expect(seen).toEqual([given, given]);
    expect(seen[0]).toBe(given);
    expect(warn).not.toHaveBeenCalled();
  });

  it('O1 is not broken by a listener that throws or rejects', async () => {
    createReport(() => {
      throw new Error('no');
    })(diagnostic('m'));
    createReport(async () => {
      throw new Error('no');
    })(diagnostic('m'));
    // An unhandled rejection would fail the run.
    await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('O1 goes to console.warn without a listener: warnings and errors, once each, controls escaped', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const report = createReport(undefined);
    for (const level of ['info', 'warn', 'error'] as const) {
      report(diagnostic(`${level} \u001b[2J`, level));
      report(diagnostic(`${level} \u001b[2J`, level));
    }
    expect(warn.mock.calls).toEqual([
      ['mcp-toolset [filter-unmatched] warn \\u001b[2J'],
      ['mcp-toolset [filter-unmatched] error \\u001b[2J'],
    ]);
  });

  it('O1 takes one line on the console, whatever it says, and 200 lines and a last one in all', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const report = createReport(undefined);
    for (let index = 0; index < 1_000; index++) report(diagnostic(`${index}\n\tof many`));
    const lines = warn.mock.calls.map(([line]) => line as string);
    expect(lines.slice(0, 200)).toEqual(
      Array.from({ length: 200 }, (_, index) => `mcp-toolset [filter-unmatched] ${index}  of many`),
    );
    expect(lines.slice(200)).toEqual([expect.stringContaining('give `onDiagnostic`')]);
  });

  it('O1 one toolset does not silence another', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    createReport(undefined)(diagnostic('m'));
    createReport(undefined)(diagnostic('m'));
    expect(warn).toHaveBeenCalledTimes(2);
  });
});
