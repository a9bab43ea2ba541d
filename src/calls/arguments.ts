import type { SurveyedTool } from '../catalog/survey.js';
import { type McpErrorDetails, McpInvalidArgumentsError } from '../core/errors.js';
import { cloneJson, jsonText } from '../core/json.js';
import type { ArgumentIssue } from '../core/tools.js';
import { type Checker, createChecker, type Verdict } from '../schema/validation/checker.js';
import { applyCoercions, findCoercions } from '../schema/validation/coerce.js';
import { pathOf, toIssues } from '../schema/validation/issues.js';
import type { Detached } from './detach.js';

export type Arguments = Readonly<Record<string, unknown>>;

export interface ArgumentRules {
  readonly tool: SurveyedTool;
  /** Whether the model was not shown the whole schema: then the error carries it (D7). */
  readonly hidden: boolean;
  /** Told once for each definition, where strings were read as what the schema wants there (D8). */
  onCoerced(paths: readonly string[]): void;
}

type Details = McpErrorDetails & { readonly server: string; readonly tool: string };

/** Judges the arguments of calls; what was prepared of a schema is kept as long as that is. */
export type CheckArguments = (given: Detached, rules: ArgumentRules, details: Details) => Arguments;

/**
 * The arguments as they will be sent: strings that are meant as something else read as that, checked against the schema, and
 * deeply frozen (D7, D8, A3). What cannot be checked passes. Throws `McpInvalidArgumentsError`.
 */
export function createArgumentsCheck(): CheckArguments {
  const checkers = new WeakMap<SurveyedTool, Checker>();
  const told = new WeakSet<SurveyedTool>();
  return (given, { tool, hidden, onCoerced }, details) => {
    const once = (paths: readonly string[]) => {
      if (!told.has(tool)) onCoerced(paths);
      told.add(tool);
    };
    const rules = { tool, hidden, onCoerced: once };
    if (!given.ok) {
      const cause = 'cause' in given ? { cause: given.cause } : {};
      throw invalid([{ path: '', message: given.problem }], rules, { ...details, ...cause });
    }
    if (given.wasText) once(['']);
    const { args } = given;
    const checker = checkers.get(tool) ?? createChecker(tool.inputSchema);
    checkers.set(tool, checker);
    return freezeDeep(settle(args, checker, rules, details));
  };
}

/** A string may hold an object in which others are. */
const COERCION_ROUNDS = 3;

function settle(args: Arguments, checker: Checker, rules: ArgumentRules, details: Details): Arguments {
  const paths = new Set<string>();
  let current = args;
  let verdict = checker.check(current);
  for (let round = 0; round < COERCION_ROUNDS && verdict.kind === 'invalid'; round++) {
    const coercions = findCoercions(verdict.failures);
    if (coercions.length === 0) break;
    current = applyCoercions(current, coercions) as Arguments;
    for (const { tokens } of coercions) paths.add(pathOf(tokens));
    verdict = checker.check(current);
  }
  if (verdict.kind === 'invalid') throw invalid(issuesOf(verdict), rules, details);
  // What only seemed to help was not needed.
  if (verdict.kind === 'unchecked') return args;
  if (paths.size > 0) rules.onCoerced([...paths]);
  return current;
}

function issuesOf({ repeated, failures }: Extract<Verdict, { kind: 'invalid' }>): readonly ArgumentIssue[] {
  return [...repeated.map(({ path }) => ({ path, message: 'must not repeat an item' })), ...toIssues(failures)];
}

/** Longest schema that is put into a message, in UTF-16 code units. */
const SCHEMA_MAX = 20_000;

/** Written for the model: where, what was expected, what was given, and the schema where it was hidden (D7). */
function invalid(issues: readonly ArgumentIssue[], { tool, hidden }: ArgumentRules, details: Details) {
  const { inputSchema: schema } = tool.cleaned?.clean ?? tool;
  const lines = issues.map(({ path, message }) => `- ${path === '' ? 'the arguments' : path}: ${message}`);
  const text = hidden ? (jsonText(schema) ?? '') : '';
  const shown =
    text.length > SCHEMA_MAX ? 'Its schema is long; get it with mcp__describe_tool.' : `Its schema: ${text}`;
  const message = [
    `The arguments of \`${details.tool}\` (server \`${details.server}\`) are not valid, and nothing was sent:`,
    ...lines,
    ...(hidden ? [shown] : []),
  ].join('\n');
  return new McpInvalidArgumentsError(message, {
    ...details,
    issues,
    ...(hidden ? { schema: cloneJson(schema) } : {}),
  });
}

/** Iterative; what was approved is what is sent (A3). */
function freezeDeep(args: Arguments): Arguments {
  const open: object[] = [args];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    Object.freeze(value);
    for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) open.push(member);
  }
  return args;
}
