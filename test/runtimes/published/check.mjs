import assert from 'node:assert/strict';
import { mcpTools } from '../../../dist/index.js';
import '../../../dist/node.js';

const OPTIONS = { connectTimeoutMs: 30_000, timeoutMs: 20_000 };
const LEGAL = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/** Connects twice, judges the map each time and makes the call once. */
export async function check(server, config, running) {
  const first = await visit(server, config, running, server.call);
  const second = await visit(server, config, running, undefined);
  assert.equal(second.definitions, first.definitions, 'the definitions are not the same bytes after a reconnect');
  return first;
}

async function visit(server, config, running, call) {
  const diagnostics = [];
  const onDiagnostic = (diagnostic) => diagnostics.push(diagnostic);
  const toolset = await mcpTools([{ ...config, required: true }], { ...OPTIONS, onDiagnostic });
  try {
    assert.ok(running() > 0, 'its process is not found, and so would none be that is left');
    const [status] = toolset.servers;
    const quarantined = toolset.describeTools().filter(({ state }) => state !== 'active');
    assert.deepEqual(quarantined, [], 'tools are quarantined');
    const names = Object.keys(toolset.tools).filter((name) => toolset.tools[name].metadata.server !== '');
    assert.equal(names.length, server.tools, 'another number of tools');
    assert.deepEqual(
      names.filter((name) => !LEGAL.test(name)),
      [],
      'names are not legal',
    );
    assert.deepEqual(names, [...names].sort(), 'names are not in order');
    const raw = Object.values(toolset.tools).map(({ metadata }) => metadata.tool);
    assert.equal(new Set(raw).size, names.length, 'two names lead to one tool');
    const definitions = toolset.describeTools().map((summary) => definitionOf(summary, toolset.tools[summary.name]));
    const answer = call === undefined ? '' : await make(call, toolset.tools[`${server.name}__${call.tool}`]);
    const warnings = diagnostics.filter(({ level }) => level !== 'info').map(({ code }) => code);
    assert.deepEqual(warnings, server.warnings ?? [], 'warnings');
    return { protocol: status.protocolVersion, era: status.era, definitions: JSON.stringify(definitions), answer };
  } finally {
    await toolset.close();
  }
}

/** What a model is shown of a tool; its schema must be readable, and be the one that `describeTools` shows. */
function definitionOf({ name, description, inputSchema }, tool) {
  const shown = tool.inputSchema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  assert.deepEqual(shown, inputSchema, `${name}: another schema than described`);
  assert.equal(shown.type, 'object', `${name}: the schema is not one of an object`);
  return { name, description, inputSchema: shown };
}

async function make({ args, answers, refused, tool: name }, tool) {
  if (refused !== undefined) {
    await assert.rejects(tool.execute(args), refused, `${name} did not refuse its arguments`);
    return `${name}: refused`;
  }
  const { content } = await tool.execute(args);
  assert.match(content.map(({ text }) => text).join('\n'), answers, `${name} answered something else`);
  return `${name}: answered`;
}
