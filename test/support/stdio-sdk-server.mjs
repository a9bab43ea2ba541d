/** A server of the official 2.x SDK over standard input and output; ERA `modern` refuses the older handshake. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const cancelled = [];

serveStdio(
  () => {
    const server = new McpServer({ name: 'sdk', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
    server.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, ({ message }) => ({
      content: [{ type: 'text', text: message }],
    }));
    server.registerTool('slow', { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
      await new Promise((resolve) => {
        mcpReq.signal.addEventListener('abort', resolve, { once: true });
      });
      cancelled.push('slow');
      return { content: [] };
    });
    server.registerTool('log', { inputSchema: z.object({}) }, () => ({
      content: [{ type: 'text', text: JSON.stringify(cancelled) }],
    }));
    server.registerTool('grow', { inputSchema: z.object({}) }, () => {
      server.registerTool('grown', { inputSchema: z.object({}) }, () => ({ content: [] }));
      return { content: [] };
    });
    return server;
  },
  { legacy: process.env.ERA === 'modern' ? 'reject' : 'serve' },
);
