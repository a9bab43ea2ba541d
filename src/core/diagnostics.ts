import { quietly } from './quietly.js';
import { escapeControls } from './text.js';

/** What each code's `data` holds: names, counts and codes; never arguments, results, headers or tokens (O1). */
export interface DiagnosticData {
  /** A server does not serve: why is in its `ServerStatus`. */
  'server-failed': { readonly errorCode: string; readonly required: boolean };
  /** Servers share a configured name; each goes by a name of its own (N4). */
  'server-name-collision': { readonly configuredName: string; readonly names: readonly string[] };
  /** A tool's name was not acceptable to every provider (N2), or met another one (N3). */
  'name-rewritten': { readonly from: string; readonly to: string };
  /** A refresh gave a tool another projected name (N4). */
  'name-moved': { readonly from: string; readonly to: string };
  /** A tool is not exposed because of its definition or name (L1). */
  'tool-quarantined': { readonly reason: string };
  /** A server publishes one name several times: none of them is exposed (L3). */
  'duplicate-tool': { readonly count: number };
  /** The walk over `tools/list` ended early; what was read is kept (L2). */
  'discovery-truncated': {
    readonly reason: 'pages' | 'tools' | 'bytes' | 'repeated-cursor' | 'failed-page';
    readonly pages: number;
    readonly tools: number;
  };
  /** An `allow` entry matched no tool (L4), or one of `disclosure.alwaysLoad` no server and no tool (D1). */
  'filter-unmatched': { readonly entry: string };
  /**
   * Names and descriptions alone, or with what `alwaysLoad` keeps, do not fit: `floor` is their estimated tokens, `budget` the
   * option that `scope` tells, `disclosure.budget` or `disclosure.total` (D4, D5).
   */
  'disclosure-budget-exceeded': {
    readonly scope: 'server' | 'total';
    readonly tools: number;
    readonly floor: number;
    readonly budget: number;
  };
  /**
   * Text that nobody sees, in a definition or a result: distinct code points, at most 16, and how many there were. `where` are JSON
   * Pointers. It was removed, but for what is functional: names, enums, defaults (G10).
   */
  'hidden-text': {
    readonly codePoints: readonly string[];
    readonly count: number;
    readonly removed: boolean;
    readonly where: readonly string[];
  };
  /** Strings among the arguments were read as what the schema wants there; their JSON Pointers, once for each definition (D8). */
  'arguments-coerced': { readonly paths: readonly string[] };
  /** A successful result does not fit the tool's `outputSchema`; JSON Pointers into it, once for each definition (R5). */
  'output-mismatch': { readonly paths: readonly string[] };
  /** A result was cut; both in estimated tokens (R4). */
  'result-truncated': { readonly tokens: number; readonly limit: number };
  /** A server's configured `Authorization` header gives way to a token (G12). */
  'authorization-overridden': { readonly by: 'auth' | 'oauth' };
  /** A server's URL has a query that looks like a secret; the names of those parameters, never a value (G12). */
  'secret-in-url': { readonly parameters: readonly string[] };
  /** A request that was surely not delivered was sent again after a repair (C4). */
  'connection-repaired': { readonly repair: 'reconnect' | 'reprobe' | 'relist' };
  /** The text of a configuration file is none, or none of its format (T6). */
  'config-skipped': { readonly reason: 'not-json' | 'no-servers' | 'invalid' | 'unsupported-version' };
  /** An entry of a configuration file is not used; the others are (T6, T3). */
  'entry-skipped': {
    readonly reason: 'invalid' | 'unsupported' | 'unset-variable' | 'disabled' | 'outside-root' | 'repeated';
  };
  /** A process writes to its standard output what is no message; told of the first line and of every tenfold (T5). */
  'process-output': { readonly lines: number };
  /** The stream on which a server announces changes has ended; it is opened again (L7). */
  'stream-lost': { readonly times: number };
}

export type DiagnosticCode = keyof DiagnosticData;
export type DiagnosticLevel = 'info' | 'warn' | 'error';

/** Something the host may want to know that is not a failure of its call (O1). */
export type Diagnostic = {
  [Code in DiagnosticCode]: {
    readonly code: Code;
    readonly level: DiagnosticLevel;
    readonly message: string;
    readonly server?: string;
    readonly tool?: string;
    readonly data: DiagnosticData[Code];
  };
}[DiagnosticCode];

/** Takes a diagnostic. It never throws. */
export type Report = (diagnostic: Diagnostic) => void;

/** The host's sink, made safe: a listener that throws changes nothing. Without one, warnings and errors go to the console once each. */
export function createReport(listener: ((diagnostic: Diagnostic) => unknown) | undefined): Report {
  if (listener === undefined) return createConsoleReport();
  return (diagnostic) => void quietly(() => listener(diagnostic));
}

function createConsoleReport(): Report {
  const seen = new Set<string>();
  return ({ level, code, message }) => {
    if (level === 'info' || seen.size > CONSOLE_LINES || seen.has(`${code} ${message}`)) return;
    seen.add(`${code} ${message}`);
    if (seen.size > CONSOLE_LINES)
      return warn(`Further diagnostics are not shown here; give \`onDiagnostic\` to see them.`);
    warn(`[${code}] ${escapeControls(message).replace(/[\n\t]/g, ' ')}`);
  };
}

/** Lines in all: a server decides how much there is to say. */
const CONSOLE_LINES = 200;

function warn(text: string): void {
  // biome-ignore lint/suspicious/noConsole: the default sink, so that nothing is silent
  console.warn(`mcp-toolset ${text}`);
}
