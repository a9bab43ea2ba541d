import { z } from 'zod';
import { sleep } from './http-host.js';

/** A 1×1 PNG. */
export const TINY_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A WAV file with one silent sample. */
export const TINY_WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==';
export const FAIL_TEXT = 'Invalid departure date: must be in the future.';
export const THROW_TEXT = 'The tool broke on purpose.';

/** One execution of a tool: the side effects that a test counts. */
export interface ToolCallRecord {
  readonly tool: string;
  readonly arguments: unknown;
  readonly at: number;
  /** The handler has returned or thrown. */
  readonly finished: boolean;
  /** The handler saw its abort signal. */
  readonly cancelled: boolean;
}

/** What a tool needs of its SDK, the same for 1.x and 2.x. */
export interface ToolRun {
  readonly signal: AbortSignal;
  progress(progress: number, total: number): Promise<void>;
}

type Block =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name: string; mimeType?: string; description?: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string } & ({ text: string } | { blob: string }) };

export interface ToolOutput {
  [key: string]: unknown;
  content: Block[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface StandardTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** The input schema as JSON, where zod cannot say it. Used by the 2.x servers. */
  readonly inputJson?: Record<string, unknown>;
  readonly output?: z.ZodObject;
  readonly run: (input: Record<string, unknown>, run: ToolRun) => ToolOutput | Promise<ToolOutput>;
}

const text = (value: string): ToolOutput => ({ content: [{ type: 'text', text: value }] });

/** The tools of every SDK server here. */
export const STANDARD_TOOLS: readonly StandardTool[] = [
  {
    name: 'echo',
    title: 'Echo',
    description: 'Returns the message.',
    input: z.object({ message: z.string() }),
    run: (input) => text(String(input.message)),
  },
  {
    name: 'add',
    description: 'Adds two numbers.',
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
    run: (input) => {
      const structuredContent = { sum: Number(input.a) + Number(input.b) };
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    },
  },
  {
    name: 'image',
    description: 'Returns a tiny image.',
    input: z.object({}),
    run: () => ({ content: [{ type: 'image', data: TINY_PNG, mimeType: 'image/png' }] }),
  },
  {
    name: 'audio',
    description: 'Returns a tiny sound.',
    input: z.object({}),
    run: () => ({ content: [{ type: 'audio', data: TINY_WAV, mimeType: 'audio/wav' }] }),
  },
  {
    name: 'fail',
    description: 'Fails with an error that the model can act on.',
    input: z.object({}),
    run: () => ({ ...text(FAIL_TEXT), isError: true }),
  },
  {
    name: 'throw',
    description: 'Throws.',
    input: z.object({}),
    run: () => {
      throw new Error(THROW_TEXT);
    },
  },
  {
    name: 'slow',
    description: 'Waits, reports progress ten times on the way, and stops when it is cancelled.',
    input: z.object({ ms: z.number().int().min(0).max(60_000) }),
    run: async (input, run) => {
      const ms = Number(input.ms);
      const stopped = aborted(run.signal);
      for (let step = 1; step <= 10 && !run.signal.aborted; step += 1) {
        await Promise.race([sleep(ms / 10), stopped]);
        if (!run.signal.aborted) await run.progress(step, 10);
      }
      return text(run.signal.aborted ? 'cancelled' : `waited ${ms} ms`);
    },
  },
  {
    name: 'open',
    description: 'Returns all its arguments, the undeclared ones too.',
    input: z.looseObject({ kind: z.string().optional() }),
    inputJson: { type: 'object', properties: { kind: { type: 'string' } }, additionalProperties: true },
    run: (input) => text(JSON.stringify(input)),
  },
  {
    name: 'search.docs',
    description: 'Has a name that model providers refuse.',
    input: z.object({ query: z.string() }),
    run: (input) => text(`results for ${input.query}`),
  },
  {
    name: 'link',
    description: 'Returns a link to a resource.',
    input: z.object({}),
    run: () => ({
      content: [
        {
          type: 'resource_link',
          uri: 'file:///report.txt',
          name: 'report',
          mimeType: 'text/plain',
          description: 'A report',
        },
      ],
    }),
  },
  {
    name: 'embed',
    description: 'Returns a text resource and a binary resource.',
    input: z.object({}),
    run: () => ({
      content: [
        { type: 'resource', resource: { uri: 'file:///note.txt', mimeType: 'text/plain', text: 'a note' } },
        { type: 'resource', resource: { uri: 'file:///dot.png', mimeType: 'image/png', blob: TINY_PNG } },
      ],
    }),
  },
];

export interface ToolLog {
  readonly calls: readonly ToolCallRecord[];
  /** Executions of one tool, or of all. */
  executed(tool?: string): number;
  /** Runs a tool and records that it ran. */
  run(tool: StandardTool, input: unknown, run: ToolRun): Promise<ToolOutput>;
}

export function createToolLog(): ToolLog {
  const calls: ToolCallRecord[] = [];
  return {
    calls,
    executed: (tool) => calls.filter((call) => tool === undefined || call.tool === tool).length,
    run: async (tool, input, run) => {
      const call = {
        tool: tool.name,
        arguments: structuredClone(input),
        at: Date.now(),
        finished: false,
        cancelled: false,
      };
      calls.push(call);
      const cancel = () => {
        call.cancelled = true;
      };
      run.signal.addEventListener('abort', cancel, { once: true });
      try {
        return await tool.run((input ?? {}) as Record<string, unknown>, run);
      } finally {
        call.finished = true;
        run.signal.removeEventListener('abort', cancel);
      }
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
