import type { WrongMessage } from './plan.js';
import { otherId } from './refusals.js';
import { type Message, recordOf } from './rpc.js';

const OVERSIZED_BYTES = 33 * 1024 * 1024;
/** Every cursor that this server gives out begins so. */
const CURSOR = 'page-';

/** What a bend may know of the request beside its right answer. */
export interface Asked {
  readonly method?: string | undefined;
  readonly params?: unknown;
}

/** The messages that take the place of the right answer. Pure. */
export function bend(fault: WrongMessage, message: Message, asked: Asked): readonly Message[] {
  switch (fault.kind) {
    case 'wrong-id':
      return [{ ...message, id: fault.id === undefined ? otherId(message.id) : fault.id }];
    case 'other-id-type':
      return [{ ...message, id: otherType(message.id) }];
    case 'duplicate-answer':
      return Array.from({ length: fault.times ?? 2 }, (_, index) =>
        fault.differ === true && index > 0 ? withText(message, `answer ${index + 1}`) : message,
      );
    case 'no-result-type':
      return [withResult(message, ({ resultType: _, ...result }) => result)];
    case 'odd-result-type':
      return [withResult(message, (result) => ({ ...result, resultType: fault.value ?? 'unheard-of' }))];
    case 'oversized-body':
      return [withText(message, 'x'.repeat(fault.bytes ?? OVERSIZED_BYTES))];
    case 'endless-pages':
      return [asked.method === 'tools/list' ? endlessPage(fault, message, asked) : message];
  }
}

function otherType(id: unknown): unknown {
  if (typeof id === 'number') return String(id);
  const number = Number(id);
  return Number.isFinite(number) ? number : 0;
}

/** Errors stay as they are. */
function withResult(message: Message, change: (result: Message) => Message): Message {
  return message.result === undefined ? message : { ...message, result: change(recordOf(message.result)) };
}

/** More text in the content, where there is one, and else in a field that nobody asked for. */
function withText(message: Message, text: string): Message {
  return withResult(message, (result) => {
    const { content } = result;
    return Array.isArray(content) ? { ...result, content: [...content, { type: 'text', text }] } : { ...result, text };
  });
}

/** The cursor alone says where the walk is, so that any number of clients may walk. */
function endlessPage(
  { cursors = 'fresh', period = 1, toolsPerPage = 1 }: Extract<WrongMessage, { kind: 'endless-pages' }>,
  message: Message,
  { params }: Asked,
): Message {
  const { cursor } = recordOf(params);
  const page = typeof cursor === 'string' ? Number(cursor.slice(CURSOR.length)) || 0 : 0;
  const next = cursors === 'fresh' ? page + 1 : (page % period) + 1;
  const tools = Array.from({ length: toolsPerPage }, (_, index) => ({
    name: `page_${page}_${index + 1}`,
    description: 'A tool of an endless list.',
    inputSchema: { type: 'object' },
  }));
  const nextCursor = `${CURSOR}${next}`;
  return withResult(message, (result) => ({ ...result, ...(page === 0 ? {} : { tools }), nextCursor }));
}

/** Whether a cursor is one of those that endless pages give out. */
export function isOwnCursor(cursor: unknown): boolean {
  return typeof cursor === 'string' && cursor.startsWith(CURSOR);
}
