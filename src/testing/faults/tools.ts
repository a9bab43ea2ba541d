import { sleep } from '../../core/sleep.js';
import { type Message, type RpcFailure, recordOf, textResult } from './rpc.js';

/** What a tool needs of the request that calls it. */
export interface ToolRun {
  /** Aborted when the client cancelled the request, or the server closes. */
  readonly signal: AbortSignal;
  progress(progress: number, total: number): void;
  /** Runs the side effect once more for this key. */
  effect(key: string): void;
}

export type ToolOutcome = { readonly result: Message } | { readonly failure: RpcFailure };

const number = { type: 'number', minimum: 0 };

/** The tools that every fault server has. */
const BUILT_IN_TOOLS: readonly Message[] = [
  definition('effect', 'Runs a side effect that the server counts by its key.', { key: { type: 'string' } }),
  definition('echo', 'Returns the message.', { message: { type: 'string' } }),
  definition('slow', 'Answers after so many milliseconds.', { ms: number }),
  definition('progress', 'Reports so many steps, and then answers.', { steps: number, everyMs: number }),
];

function definition(name: string, description: string, properties: Message): Message {
  return { name, description, inputSchema: { type: 'object', properties, required: Object.keys(properties) } };
}

/** The built-in tools and those added; an added one replaces the built-in definition of its name. */
export function allTools(added: readonly Message[]): readonly Message[] {
  const replaced = new Set(added.map(({ name }) => name));
  return [...BUILT_IN_TOOLS.filter(({ name }) => !replaced.has(name)), ...added];
}

/** An added tool answers with its arguments as JSON text. */
export async function runTool(tools: readonly Message[], params: Message, run: ToolRun): Promise<ToolOutcome> {
  const { name } = params;
  const args = recordOf(params.arguments);
  if (!tools.some((tool) => tool.name === name)) {
    return { failure: { code: -32602, message: `Unknown tool: ${String(name)}` } };
  }
  switch (name) {
    case 'effect':
      if (typeof args.key !== 'string') return { failure: { code: -32602, message: 'Invalid params: no key' } };
      run.effect(args.key);
      return { result: textResult(`done: ${args.key}`) };
    case 'echo':
      return { result: textResult(String(args.message)) };
    case 'slow':
      await sleep(Number(args.ms ?? 0), run.signal);
      return { result: textResult(`slept for ${String(args.ms)} ms`) };
    case 'progress':
      return { result: await reportSteps(args, run) };
    default:
      return { result: textResult(JSON.stringify(args)) };
  }
}

async function reportSteps({ steps, everyMs }: Message, run: ToolRun): Promise<Message> {
  const total = Number(steps ?? 0);
  for (let step = 1; step <= total && !run.signal.aborted; step++) {
    // Each step has a turn of its own, so that it can be cancelled.
    await sleep(Math.max(1, Number(everyMs ?? 0)), run.signal);
    run.progress(step, total);
  }
  return textResult(`${total} steps`);
}

/** Resolves when `signal` is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
