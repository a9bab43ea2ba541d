import type { QuarantinedTool } from '../catalog/projection.js';
import { estimateTokens } from '../catalog/tokens.js';
import { cloneJson } from '../core/json.js';
import type { McpToolSummary } from '../core/tools.js';
import { describe, shownOf } from './forms.js';
import type { LiveTool } from './tool.js';

export function summarise({ entry, forms, disclosure }: LiveTool): McpToolSummary {
  const { losses } = forms;
  const { title } = shownOf(entry);
  return {
    name: entry.name,
    server: entry.server,
    tool: entry.tool.name,
    ...(title === undefined ? {} : { title }),
    description: describe(entry),
    inputSchema: cloneJson(forms.schema(disclosure)),
    descriptionHash: forms.fingerprint,
    tokens: { full: forms.tokens('full'), projected: forms.tokens(disclosure) },
    disclosure,
    state: 'active',
    ...(losses.length === 0 ? {} : { losses: [...losses] }),
  };
}

/** Nothing of the server's own definition is shown: it was refused, whatever it says. */
export function summariseQuarantined({ name, server, tool, reason }: QuarantinedTool): McpToolSummary {
  const inputSchema = { type: 'object', properties: {} };
  const tokens = estimateTokens({ name, description: '', inputSchema });
  return {
    name,
    server,
    tool,
    description: '',
    inputSchema,
    descriptionHash: '',
    tokens: { full: tokens, projected: tokens },
    disclosure: 'full',
    state: 'quarantined',
    reason,
  };
}
