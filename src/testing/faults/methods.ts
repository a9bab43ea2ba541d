import { isOwnCursor } from './bend.js';
import type { Entry } from './records.js';
import {
  type Answer,
  discoverResult,
  errorAnswer,
  initializeResult,
  listResult,
  type Message,
  recordOf,
  refuseModern,
  resultAnswer,
  sessionFailure,
} from './rpc.js';
import type { ServerState } from './state.js';
import { runTool, type ToolRun } from './tools.js';

/** Does what a request asks, as a good server does. Undefined where no message answers it. */
export async function runRequest(
  state: ServerState,
  entry: Entry,
  { tool, onSession }: { readonly tool: ToolRun; onSession(session: string): void },
): Promise<Answer | undefined> {
  const { era, sessions } = state;
  const { method, id } = entry;
  const refused = refuse(state, entry);
  if (refused !== undefined) return refused;
  if (entry.http === 'DELETE') sessions.delete(String(entry.session));
  if (method === 'notifications/cancelled') cancel(state, entry);
  if (method === undefined || id === undefined || isListen(state, entry)) return undefined;
  if (method === 'initialize' && era === 'legacy' && state.hasSessions) {
    const session = crypto.randomUUID();
    sessions.add(session);
    onSession(session);
  }
  return answerMethod(state, entry, tool);
}

/** On 2026-07-28 this request opens a notice stream and is answered at its end, if at all. */
export function isListen({ era }: ServerState, { method, id }: Entry): boolean {
  return era === 'modern' && method === 'subscriptions/listen' && id !== undefined;
}

function refuse(state: ServerState, entry: Entry): Answer | undefined {
  const { http, method, id, params, session, headers } = entry;
  if (state.era === 'modern') {
    const failure = http === 'POST' ? refuseModern({ method, id, params }, headers) : undefined;
    return failure === undefined ? undefined : errorAnswer(id, failure);
  }
  if (!state.hasSessions || method === 'initialize') return undefined;
  if (session !== undefined && state.sessions.has(session)) return undefined;
  return errorAnswer(null, sessionFailure(session === undefined ? 400 : 404));
}

async function answerMethod({ era, tools }: ServerState, entry: Entry, run: ToolRun): Promise<Answer> {
  const { method, id } = entry;
  const params = recordOf(entry.params);
  const result = (value: Message): Answer => resultAnswer(id, era, value);
  switch (method) {
    case 'tools/list': {
      const { cursor } = params;
      if (cursor === undefined) return result(listResult(era, tools));
      if (isOwnCursor(cursor)) return result(listResult(era, []));
      return errorAnswer(id, { code: -32602, message: 'Invalid params: unknown cursor' });
    }
    case 'tools/call': {
      const outcome = await runTool(tools, params, run);
      return 'failure' in outcome ? errorAnswer(id, outcome.failure) : result(outcome.result);
    }
  }
  if (era === 'legacy' && method === 'initialize') return result(initializeResult(params));
  if (era === 'legacy' && method === 'ping') return result({});
  if (era === 'modern' && method === 'server/discover') return result(discoverResult());
  const status = era === 'modern' ? 404 : 200;
  return errorAnswer(id, { code: -32601, message: `Method not found: ${String(method)}`, status });
}

/** A modern server is told by the end of the stream; ids of many clients would meet here. */
function cancel({ era, records, underway }: ServerState, { params, session }: Entry): void {
  const { requestId } = recordOf(params);
  records.cancel(requestId, 'notification');
  if (era === 'modern') return;
  for (const one of underway) {
    if (one.entry.id === requestId && one.entry.session === session) one.abort();
  }
}
