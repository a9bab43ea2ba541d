/** What the scenario over stdio is told, in the variable STAND. Paths are absolute. */
export interface StdioStand {
  /** A Node that runs the servers, whatever runs the library. */
  readonly node: string;
  /** The published `server-everything`. */
  readonly everything: string;
  /** The scripted server of the end-to-end tests. */
  readonly scripted: string;
  /** An empty folder to write to. */
  readonly folder: string;
  /** What of this process's environment a child may see. */
  readonly inherited: Readonly<Record<string, string>>;
}

/** Set in this process's environment; no child may see it. */
export const CANARY = 'MCP_TOOLSET_CANARY';

/** Names who was started for one check; it reaches everybody below them. */
export const MARK = 'MCP_TOOLSET_MARK';
