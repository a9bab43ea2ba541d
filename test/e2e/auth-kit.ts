import type { AuthContext, Diagnostic, McpOptions, McpServerConfig, McpToolset } from '../../src/index.js';
import { createMcpTools, mcpTools } from '../../src/index.js';
import type { FaultPlan } from '../../src/testing/faults/plan.js';
import { type FaultServer, type FaultServerOptions, faultServer } from '../../src/testing/faults/server.js';
import { tokenOf } from '../support/bearer-gate.js';
import { SECRETS } from '../support/canaries.js';
import { createStands, KINDS, type Kind, sourceOf } from './faults-kit.js';

export const SESSION = { id: 'ada' } as const;
export const token = (number: number | string) => `${SECRETS.token}-${number}`;

/** One question to the option `auth`. */
export interface Asked extends AuthContext {
  readonly server: string;
}

export type Auth = NonNullable<McpOptions['auth']>;

/** A resolver that remembers what it was asked. By default each answer is a token of its own. */
export function createAuth(answer: (asked: Asked, nth: number) => unknown = (_, nth) => ({ token: token(nth) })) {
  const asked: Asked[] = [];
  const auth: Auth = async (server, context) => {
    const question = { server, ...context };
    asked.push(question);
    return answer(question, asked.length) as { token: string };
  };
  return { auth, asked, reasons: () => asked.map(({ reason }) => reason) };
}

/** Which token each recorded request carried. */
export const tokensOf = ({ requests }: FaultServer) => requests.map(({ headers }) => tokenOf(headers.authorization));

export interface AuthStandOptions extends Omit<McpOptions, 'onDiagnostic'> {
  readonly plan?: FaultPlan;
  readonly server?: FaultServerOptions;
  readonly source?: Partial<McpServerConfig>;
}

/** Like the stands for faults, and nothing that was asked of the server before the toolset stood is forgotten. */
export function createAuthStands() {
  const { keep, watch } = createStands();
  return {
    keep,
    watch,
    server: async (kind: Kind, plan: FaultPlan = [], options: FaultServerOptions = {}) =>
      keep(await faultServer(plan, { ...KINDS[kind], ...options })),
    async stand(kind: Kind, { plan = [], server: config, source, ...options }: AuthStandOptions = {}) {
      const server = keep(await faultServer(plan, { ...KINDS[kind], ...config }));
      const diagnostics: Diagnostic[] = [];
      const toolset = keep(
        await mcpTools([{ ...sourceOf(kind, server), ...source } as McpServerConfig], {
          session: SESSION,
          timeoutMs: 20_000,
          ...options,
          onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
        }),
      );
      watch(toolset, diagnostics);
      const effect = (key: string) => toolset.tools.s__effect!.execute({ key });
      return { server, toolset, diagnostics, effect };
    },
  };
}

/** Both ways of opening a server's tools, and of closing them. */
export const OPENERS = {
  mcpTools: async (source: McpServerConfig, options: McpOptions) => {
    const toolset = await mcpTools([source], { ...options, onServerError: 'throw' });
    return { tools: toolset.tools, close: () => toolset.close() };
  },
  createMcpTools: async (source: McpServerConfig, options: McpOptions) => {
    const handle = createMcpTools(source, options);
    return { tools: await handle.tools(), close: () => handle.close() };
  },
} as const satisfies Record<
  string,
  (source: McpServerConfig, options: McpOptions) => Promise<Pick<McpToolset, 'tools' | 'close'>>
>;
