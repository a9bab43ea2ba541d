// The client under test. The suite starts it once for each scenario, with the URL of that scenario's server. It connects with
// the library's defaults and calls every tool that the library exposes; its last line is `done` where nothing went wrong.
import { mcpTools } from '../../../dist/index.js';

const { MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_CONTEXT = '{}' } = process.env;

/** Its server lists a tool and cannot run it. */
const ONLY_LISTS = MCP_CONFORMANCE_SCENARIO === 'json-schema-ref-no-deref';

const VALUES = { string: 'text', number: 5, integer: 5, boolean: true, array: [], object: {} };

/** What a tool requires. The tool that takes a `schema` wants the one that was read of the tool beside it. */
function argumentsFor({ inputSchema: { required = [], properties } }, known) {
  const beside = known.find(({ inputSchema }) => !('schema' in inputSchema.properties));
  const value = (name) => (name === 'schema' ? beside.inputSchema : VALUES[properties[name].type]);
  return Object.fromEntries(required.map((name) => [name, value(name)]));
}

function callsOf(toolset) {
  const { toolCalls } = JSON.parse(MCP_CONFORMANCE_CONTEXT);
  if (toolCalls !== undefined) return toolCalls;
  const known = toolset.describeTools().filter(({ state }) => state === 'active');
  return known.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool, known) }));
}

const server = { name: 'suite', type: 'streamable-http', url: process.argv.at(-1), prefix: '', required: true };
const toolset = await mcpTools([server]);
let failures = 0;
for (const call of ONLY_LISTS ? [] : callsOf(toolset)) {
  // A call that fails says so, and the next one is made all the same: several scenarios judge each tool by itself.
  await toolset.tools[call.name].execute(call.arguments).catch((error) => {
    failures += 1;
    console.error(error);
  });
}
await toolset.close();
if (failures === 0) console.log('done');
else process.exitCode = 1;
