import { detach, splitsPair } from '../../calls/cut.js';
import type { HeldResults } from '../../calls/held.js';
import { charsWithin } from '../../catalog/tokens.js';
import { MCP_READ_RESULT_TOOL } from '../../core/helper-names.js';
import type { JsonSchema } from '../../core/tools.js';
import { createHelper, type Helper, invalidArguments, textResult } from './helper.js';

const DESCRIPTION =
  'Reads on in a result that was too long to be shown whole. The mark in that result says which handle and offset to give.';

const INPUT_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    handle: { type: 'string', description: 'The handle that the mark names.' },
    offset: { type: 'integer', minimum: 0, description: 'The first character to read. Default 0.' },
    length: {
      type: 'integer',
      minimum: 1,
      description: 'How many characters to read. Default: as many as are shown at once.',
    },
  },
  required: ['handle'],
  additionalProperties: false,
};

/** @param limit Estimated tokens that one reading may have (`limits.resultTokens`). */
export function createReadResult(held: HeldResults, limit: number, isClosed: () => boolean): Helper {
  const run = (args: Readonly<Record<string, unknown>>) => {
    const { handle, offset, length } = readArguments(args);
    const whole = held.read(handle);
    if (whole === undefined) {
      return textResult('This result is no longer held. Call the tool again, if possible in a way that returns less.');
    }
    if (offset >= whole.length)
      return textResult(`The result has ${whole.length} characters; nothing begins at ${offset}.`);
    const [from, to] = chooseSpan(whole, offset, length, limit);
    const rest = to < whole.length ? ` The next offset is ${to}.` : ' This is the end.';
    return textResult(detach(whole.slice(from, to)), `[Characters ${from} to ${to} of ${whole.length}.${rest}]`);
  };
  return createHelper(
    { name: MCP_READ_RESULT_TOOL, description: DESCRIPTION, inputSchema: INPUT_SCHEMA, run },
    isClosed,
  );
}

/** Estimated tokens of the line that says where the reading stands. */
const PLACE_TOKENS = 32;

/** At least one whole character, whatever the limit is. */
function chooseSpan(
  whole: string,
  offset: number,
  length: number | undefined,
  limit: number,
): readonly [number, number] {
  const from = splitsPair(whole, offset) ? offset - 1 : offset;
  // No text of so many tokens is longer.
  const shown = whole.slice(from, from + Math.min(length ?? Number.POSITIVE_INFINITY, limit * 4));
  const end = from + Math.max(1, charsWithin(shown, Math.max(0, limit - PLACE_TOKENS)));
  if (!splitsPair(whole, end)) return [from, end];
  return [from, end - 1 > from ? end - 1 : end + 1];
}

interface ReadArguments {
  readonly handle: string;
  readonly offset: number;
  readonly length: number | undefined;
}

function readArguments({ handle, offset, length }: Readonly<Record<string, unknown>>): ReadArguments {
  if (typeof handle !== 'string')
    throw invalidArguments(MCP_READ_RESULT_TOOL, '/handle', 'must be the handle of a result');
  return { handle, offset: readCount(offset, '/offset', 0) ?? 0, length: readCount(length, '/length', 1) };
}

/** A model may write a number as text, or leave it out as null. */
function readCount(value: unknown, path: string, least: number): number | undefined {
  if (value === undefined || value === null) return undefined;
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= least) return count;
  throw invalidArguments(MCP_READ_RESULT_TOOL, path, `must be a whole number from ${least}`);
}
