/** The least that makes a tool map of connected clients: a name, a description, a schema and a closure for each tool. */
export function mapTools(connected) {
  const map = new Map();
  for (const { name, client, tools } of connected) {
    for (const { name: tool, description, inputSchema } of tools) {
      const execute = (args) => client.callTool({ name: tool, arguments: args });
      map.set(`${name}__${tool}`, { description, inputSchema, execute });
    }
  }
  return {
    size: map.size,
    tools: map,
    call: (name, args) => map.get(name).execute(args),
    close: () => Promise.all(connected.map(({ client }) => client.close())),
  };
}
