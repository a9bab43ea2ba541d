import type { Diagnostic, DiagnosticData } from '../../core/diagnostics.js';
import { escapeControls } from '../../core/text.js';
import type { McpConfig } from '../mcp-config.js';

/** Says that the whole is of no use. */
export function configSkipped(reason: DiagnosticData['config-skipped']['reason'], detail: string): McpConfig {
  const message = `The configuration is not used: ${detail}.`;
  return { servers: [], diagnostics: [{ code: 'config-skipped', level: 'error', message, data: { reason } }] };
}

/** Why an entry is not used. */
export type EntryProblem = DiagnosticData['entry-skipped']['reason'];

const LONGEST_NAME = 100;

/** As much of an entry's name as a message holds. */
export function shortName(name: string): string {
  return name.slice(0, LONGEST_NAME);
}

export function entrySkipped(name: string, reason: EntryProblem, detail: string): Diagnostic {
  const entry = escapeControls(shortName(name));
  const message = escapeControls(`The entry \`${entry}\` is not used: ${detail}.`.replace(/\.\.$/, '.'));
  const level = reason === 'disabled' ? 'info' : 'warn';
  return { code: 'entry-skipped', level, message, server: entry, data: { reason } };
}
