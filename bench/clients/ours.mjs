/** This library's build. `BENCH_LIBRARY` names another build of it, to compare two. */
export const LIBRARY = process.env.BENCH_LIBRARY
  ? new URL(process.env.BENCH_LIBRARY, `file://${process.cwd()}/`).href
  : new URL('../../dist/index.js', import.meta.url).href;

const { mcpTools } = await import(LIBRARY);

/** `protocol` is the option of that name; `describe` also reads `describeTools()`: every estimate and fingerprint. */
export async function connect(servers, { protocol = 'auto', describe = false, fetch } = {}) {
  const sources = servers.map(({ name, url }) => ({ type: 'http', name, url, protocol, required: true }));
  const toolset = await mcpTools(sources, fetch === undefined ? {} : { fetch });
  const described = describe ? toolset.describeTools() : undefined;
  return {
    size: Object.keys(toolset.tools).length,
    tools: toolset.tools,
    described,
    call: (name, args) => toolset.tools[name].execute(args),
    close: () => toolset.close(),
  };
}
