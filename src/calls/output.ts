import type { SurveyedTool } from '../catalog/survey.js';
import type { Report } from '../core/diagnostics.js';
import { McpProtocolError } from '../core/errors.js';
import { isRecord } from '../core/json.js';
import type { ArgumentIssue, McpToolResult } from '../core/tools.js';
import { type Checker, createChecker } from '../schema/validation/checker.js';
import { toIssues } from '../schema/validation/issues.js';

interface OutputRules {
  /** Whether a mismatch fails the call. */
  readonly strict: boolean;
  readonly report: Report;
}

type Details = { readonly server: string; readonly tool: string };

/** Checks a successful result against the tool's `outputSchema` (R5). */
export type CheckOutput = (result: McpToolResult, tool: SurveyedTool, details: Details) => void;

/**
 * A mismatch is reported once for each definition, or under `strictOutput` thrown as `McpProtocolError` each time: the tool has
 * run. A schema that cannot be checked is not.
 */
export function createOutputCheck({ strict, report }: OutputRules): CheckOutput {
  const checkers = new WeakMap<SurveyedTool, Checker>();
  const told = new WeakSet<SurveyedTool>();
  return (result, tool, details) => {
    const { outputSchema } = tool;
    if (!isRecord(outputSchema) || (!strict && told.has(tool))) return;
    const checker = checkers.get(tool) ?? createChecker(outputSchema);
    checkers.set(tool, checker);
    const issues = judge(result, checker);
    if (issues.length === 0) return;
    const what = `A result of \`${details.tool}\` (server \`${details.server}\`) does not fit its outputSchema`;
    if (strict) throw new McpProtocolError(`${what}, though the tool has run: ${describe(issues)}.`, details);
    told.add(tool);
    // No value of the result: a report may end in a log (O1).
    const paths = issues.map(({ path }) => path);
    const message = `${what} (${paths.map((path) => (path === '' ? 'the whole' : path)).join(', ')}).`;
    report({ code: 'output-mismatch', level: 'warn', message, ...details, data: { paths } });
  };
}

function describe(issues: readonly ArgumentIssue[]): string {
  return issues.map(({ path, message }) => `${path === '' ? 'it' : path} ${message}`).join('; ');
}

function judge({ structuredContent: value }: McpToolResult, checker: Checker): readonly ArgumentIssue[] {
  if (value === undefined) return [{ path: '', message: 'has no structuredContent' }];
  const verdict = checker.check(value);
  if (verdict.kind !== 'invalid') return [];
  return [
    ...verdict.repeated.map(({ path }) => ({ path, message: 'must not repeat an item' })),
    ...toIssues(verdict.failures),
  ];
}
