import { z } from 'zod';
import { until } from '../support/http-host.js';
import type { SdkServer, SdkServerOptions } from '../support/sdk-common.js';
import {
  FAIL_TEXT,
  rpcError,
  rpcError1,
  STANDARD_TOOLS,
  startSdk1Server,
  startSdk1SseServer,
  startSdkServer,
} from '../support/sdk-servers.js';
import type { StandardTool } from '../support/sdk-tools.js';
import { startLure } from './lure.js';
import { picture } from './scenario/picture.js';
import type { Stand, Target } from './scenario/scenario.js';

/** Servers of one row: rows run side by side, and each counts what reached its own. */
export interface Servers {
  readonly stand: Stand;
  /** Rejects when a request or a session is left on a server. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** "The user must visit a URL": the one error that both SDKs pass on from a tool as a protocol error. */
const REFUSAL = -32042;
/** What the SDK makes of it in the modern era, which has no such error. */
const MODERN_REFUSAL = -32603;

type Kind = Omit<Target, 'url'> & {
  readonly refuse: () => Error;
  readonly start: (options: SdkServerOptions) => Promise<SdkServer>;
};

const refuse1 = () => rpcError1(REFUSAL, 'Refused', { elicitations: [] });
const refuse2 = () => rpcError(REFUSAL, 'Refused', { elicitations: [] });

const KINDS: readonly Kind[] = [
  {
    name: 'both',
    title: 'SDK 2.x, both eras',
    type: 'http',
    era: 'modern',
    sessions: 0,
    refusal: MODERN_REFUSAL,
    refuse: refuse2,
    start: (options) => startSdkServer({ ...options, mode: 'dual' }),
  },
  {
    name: 'both-json',
    title: 'SDK 2.x, both eras, JSON answers',
    type: 'http',
    era: 'modern',
    sessions: 0,
    refusal: MODERN_REFUSAL,
    refuse: refuse2,
    start: (options) => startSdkServer({ ...options, mode: 'dual', json: true }),
  },
  {
    name: 'legacy',
    title: 'SDK 2.x, legacy era',
    type: 'http',
    era: 'legacy',
    sessions: 1,
    refusal: REFUSAL,
    refuse: refuse2,
    start: (options) => startSdkServer({ ...options, mode: 'legacy-only' }),
  },
  {
    name: 'legacy-json',
    title: 'SDK 2.x, legacy era, JSON answers',
    type: 'http',
    era: 'legacy',
    sessions: 1,
    refusal: REFUSAL,
    refuse: refuse2,
    start: (options) => startSdkServer({ ...options, mode: 'legacy-only', json: true }),
  },
  {
    name: 'first',
    title: 'SDK 1.x',
    type: 'http',
    era: 'legacy',
    sessions: 1,
    refusal: REFUSAL,
    refuse: refuse1,
    start: startSdk1Server,
  },
  {
    name: 'sse',
    title: 'SDK 1.x, HTTP+SSE',
    type: 'sse',
    era: 'legacy',
    sessions: 0,
    refusal: REFUSAL,
    refuse: refuse1,
    start: startSdk1SseServer,
  },
];

export async function startServers(): Promise<Servers> {
  const [lure, ...started] = await Promise.all([startLure(), ...KINDS.map(startKind)]);
  return {
    stand: {
      targets: started.map(({ target }) => target),
      tools: toolsOf(KINDS[0]!, () => undefined).map(({ name }) => name),
      failure: FAIL_TEXT,
      lure: lure.url,
    },
    settled: async () => {
      for (const { server, target } of started) {
        await until(() => server.pending() === 0 && server.sessions() === 0, 20_000).catch(() => {
          throw new Error(`${target.title}: ${server.pending()} requests and ${server.sessions()} sessions are left`);
        });
      }
    },
    close: async () => {
      await Promise.all([lure.close(), ...started.map(({ server }) => server.close())]);
    },
  };
}

async function startKind({ refuse, start, ...kind }: Kind): Promise<{ target: Target; server: SdkServer }> {
  let server: SdkServer | undefined;
  server = await start({ cors: true, tools: toolsOf({ refuse }, () => server) });
  return { target: { ...kind, url: server.url }, server };
}

function toolsOf({ refuse }: Pick<Kind, 'refuse'>, server: () => SdkServer | undefined): readonly StandardTool[] {
  const input = z.object({});
  const data = picture();
  return [
    ...STANDARD_TOOLS,
    {
      name: 'picture',
      description: 'Returns an image of 200,000 bytes.',
      input,
      run: () => ({ content: [{ type: 'image', data, mimeType: 'image/png' }] }),
    },
    {
      name: 'refuse',
      description: 'Answers with a protocol error.',
      input,
      run: () => {
        throw refuse();
      },
    },
    {
      name: 'log',
      description: 'Says how many calls of the tool slow began, and how many were told to stop.',
      input,
      output: z.object({ begun: z.number(), stopped: z.number() }),
      run: () => {
        const slow = server()?.calls.filter(({ tool }) => tool === 'slow') ?? [];
        const structuredContent = { begun: slow.length, stopped: slow.filter((call) => call.cancelled).length };
        return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
      },
    },
  ];
}
