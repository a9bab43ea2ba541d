import type { Diagnostic, DiagnosticData } from '../../core/diagnostics.js';
import { escapeControls } from '../../core/text.js';

/** Why an entry is not used. */
export type EntryProblem = DiagnosticData['entry-skipped']['reason'];

const LONGEST_NAME = 100;

export function entrySkipped(name: string, reason: EntryProblem, detail: string): Diagnostic {
  const entry = escapeControls(name.slice(0, LONGEST_NAME));
  const message = `The entry \`${entry}\` is not used: ${detail}.`.replace(/\.\.$/, '.');
  const level = reason === 'disabled' ? 'info' : 'warn';
  return { code: 'entry-skipped', level, message, server: entry, data: { reason } };
}
