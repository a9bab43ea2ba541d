export { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
