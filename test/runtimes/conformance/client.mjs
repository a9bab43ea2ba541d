// The client under test. The suite starts it once for each scenario, with the URL of that scenario's server. It connects with
// the library's defaults and calls every tool that the library exposes; its last line is `done` where nothing went wrong.
import { mcpTools } from '../../../dist/index.js';
import { callAuthorized, endsRefused, openAuthorized } from './oauth.mjs';

const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT = '{}' } = process.env;

/** Its server lists a tool and cannot run it. */
const ONLY_LISTS = scenario === 'json-schema-ref-no-deref';
/** Its server wants the schema back that it sent; where nothing is hidden, no tool gives that. */
const OPTIONS = scenario === 'json-schema-2020-12-preservation' ? { disclosure: { budget: 0 } } : {};
const AUTHORIZES = scenario.startsWith('auth/');
const context = JSON.parse(MCP_CONFORMANCE_CONTEXT);

const VALUES = { string: 'text', number: 5, integer: 5, boolean: true, array: [], object: {} };

/** What a tool wants that requires more than a list of names can say. */
const GIVEN = { json_schema_2020_12_tool: { contactMethod: 'email', email: 'someone@example.test' } };

/** What a tool requires. The tool that takes a `schema` wants the one that was read of the tool beside it. */
function argumentsFor({ tool, inputSchema: { required = [], properties } }, original) {
  if (Object.hasOwn(GIVEN, tool)) return GIVEN[tool];
  const value = (name) => (name === 'schema' ? original : VALUES[properties[name].type]);
  return Object.fromEntries(required.map((name) => [name, value(name)]));
}

async function callsOf(toolset) {
  const { toolCalls } = context;
  if (toolCalls !== undefined) return toolCalls;
  const known = toolset.describeTools().filter(({ state, server }) => state === 'active' && server !== '');
  const original = await originalOf(toolset, known);
  return known.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool, original) }));
}

/** The schema as its server sent it, as a model would ask for it: of the tool beside the one that takes a `schema`. */
async function originalOf({ tools }, known) {
  const beside = known.find(({ inputSchema }) => !('schema' in inputSchema.properties));
  const describe = tools.mcp__describe_tool;
  if (describe === undefined || beside === undefined) return undefined;
  const { content } = await describe.execute({ names: [beside.name] });
  return JSON.parse(content[0].text).tools[0].inputSchema;
}

const server = { name: 'suite', type: 'streamable-http', url: process.argv.at(-1), prefix: '', required: true };

async function run() {
  const toolset = AUTHORIZES ? await openAuthorized(server, scenario, context) : await mcpTools([server], OPTIONS);
  const execute = (call) =>
    AUTHORIZES ? callAuthorized(toolset, call) : toolset.tools[call.name].execute(call.arguments);
  const failures = [];
  for (const call of ONLY_LISTS ? [] : await callsOf(toolset)) {
    // A call that fails says so, and the next one is made all the same: several scenarios judge each tool by itself.
    await execute(call).catch((error) => failures.push(error));
  }
  await toolset.close();
  return failures;
}

const failures = await run().catch((error) => [error]);
for (const failure of failures) console.error(failure);
const refused = failures.length > 0 && failures.every(({ code }) => code === 'unauthorized');
if (endsRefused(scenario) ? refused : failures.length === 0) console.log('done');
else process.exitCode = 1;
