import type {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
  InMemoryTransport as InMemory2,
  Transport as SdkTransport2,
  SSEClientTransport as Sse2,
} from '@modelcontextprotocol/client';
import type { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import type { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import type { SSEClientTransport as Sse1 } from '@modelcontextprotocol/sdk/client/sse.js';
import type { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { WebSocketClientTransport as WebSocket1 } from '@modelcontextprotocol/sdk/client/websocket.js';
import type { InMemoryTransport as InMemory1 } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport as SdkTransport1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expectTypeOf, it } from 'vitest';
import {
  type CustomServer,
  connectMcp,
  createMcpTools,
  type ForeignClient,
  type McpToolsSource,
  type Transport,
  type TransportSendOptions,
} from '../../src/index.js';

it('every transport of the 1.x line is a transport', () => {
  expectTypeOf<SdkTransport1>().toExtend<Transport>();
  expectTypeOf<Http1>().toExtend<Transport>();
  expectTypeOf<Sse1>().toExtend<Transport>();
  expectTypeOf<Stdio1>().toExtend<Transport>();
  expectTypeOf<WebSocket1>().toExtend<Transport>();
  expectTypeOf<InMemory1>().toExtend<Transport>();
});

it('every transport of the 2.x line is a transport', () => {
  expectTypeOf<SdkTransport2>().toExtend<Transport>();
  expectTypeOf<Http2>().toExtend<Transport>();
  expectTypeOf<Sse2>().toExtend<Transport>();
  expectTypeOf<Stdio2>().toExtend<Transport>();
  expectTypeOf<InMemory2>().toExtend<Transport>();
});

it('a transport made for this library is one for the 2.x line', () => {
  expectTypeOf<Transport>().toExtend<SdkTransport2>();
});

it('a client of either line is a source', () => {
  expectTypeOf<Client1>().toExtend<ForeignClient>();
  expectTypeOf<Client2>().toExtend<ForeignClient>();
  expectTypeOf<Client1>().toExtend<McpToolsSource>();
  expectTypeOf<Client2>().toExtend<McpToolsSource>();
});

it('both are taken without a cast', () => {
  const take = (http1: Http1, http2: Http2, client1: Client1, client2: Client2) => {
    const servers: CustomServer[] = [
      { name: 'one', type: 'custom', connect: () => http1 },
      { name: 'two', type: 'custom', connect: async () => http2 },
    ];
    const handles = [http1, http2, client1, client2].map((source) => createMcpTools(source));
    return [servers, handles, connectMcp(http1), connectMcp(http2)];
  };
  expectTypeOf(take).toBeFunction();
});

it('a transport of your own needs no type of the SDK', () => {
  interface Message {
    readonly id?: string | number;
    readonly method?: string;
  }
  const own: Transport = {
    start: async () => {},
    close: async () => {},
    async send({ id, method }: Message) {
      if (method === 'ping') own.onmessage?.({ jsonrpc: '2.0', id, result: {} });
    },
  };
  class Recorder implements Transport {
    onmessage?: Transport['onmessage'];
    readonly seen: object[] = [];
    async start() {}
    async close() {}
    async send(message: object, options?: TransportSendOptions) {
      if (options?.requestSignal?.aborted !== true) this.seen.push(message);
    }
  }
  expectTypeOf(() => [createMcpTools(own), createMcpTools(new Recorder())]).toBeFunction();
});

it('what is no transport and no client is refused', () => {
  const [start, close] = [async () => {}, async () => {}];
  // @ts-expect-error it cannot send
  expectTypeOf(() => createMcpTools({ start, close })).toBeFunction();
  // @ts-expect-error messages are objects
  expectTypeOf(() => createMcpTools({ start, close, send: async (_message: string) => {} })).toBeFunction();
  // @ts-expect-error several servers are for mcpTools
  expectTypeOf(() => createMcpTools([{ name: 'docs', type: 'http', url: 'https://a.example' }])).toBeFunction();
  // @ts-expect-error `connect` returns a transport
  expectTypeOf(() => createMcpTools({ name: 'docs', type: 'custom', connect: () => ({ start }) })).toBeFunction();
});
