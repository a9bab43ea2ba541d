// #region report
import { withMcpTools } from 'mcp-toolset';

export function report(urls: Record<string, string>): Promise<string[]> {
  const servers = Object.entries(urls).map(([name, url]) => ({ name, type: 'http' as const, url }));
  const lines: string[] = [];
  const onDiagnostic = (diagnostic: { code: string; message: string }) =>
    lines.push(`${diagnostic.code}: ${diagnostic.message}`);
  return withMcpTools(servers, { onDiagnostic }, (toolset) => {
    for (const { name, state, tools, error } of toolset.servers) {
      lines.push(`${name} is ${state} with ${tools.active} tools${error ? ` (${error.code})` : ''}`);
    }
    for (const { name, state, reason } of toolset.describeTools()) {
      if (state !== 'active') lines.push(`${name} is ${state}: ${reason}`);
    }
    return lines;
  });
}
// #endregion
