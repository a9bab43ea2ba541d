/** A host that exits while a tree of processes serves it, without closing anything. */
import 'mcp-toolset/node';
import { mcpTools } from 'mcp-toolset';
import { markedWith } from './marked.js';
import { markOf, wrapped } from './stdio-checks.js';
import type { StdioStand } from './stdio-stand.js';

const stand: StdioStand = JSON.parse(process.env.STAND ?? '');
const { tools } = await mcpTools([{ ...wrapped(stand, 'leave'), required: true }]);
await tools.s__echo!.execute({ message: 'x' });
const mark = markOf(stand, 'leave');
console.log(JSON.stringify({ mark, running: markedWith(mark).length }));
process.exit(0);
