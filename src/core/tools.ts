import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';

/** A JSON Schema document. Its keywords are the server's own and are not interpreted by the type. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export interface TextContent {
  readonly type: 'text';
  readonly text: string;
}
export interface MediaContent {
  readonly type: 'image' | 'audio';
  /** Base64, as the server sent it; checked, not decoded. */
  readonly data: string;
  readonly mimeType: string;
}
export interface ResourceLink {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name?: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}
export interface EmbeddedResource {
  readonly type: 'resource';
  readonly resource: {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    readonly blob?: string;
  };
}
/** A block of a kind this library does not know: kept as it came (R2). */
export interface UnknownContent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** One block of a tool's result, as MCP defines them; kinds that are not known yet survive (R2). */
export type ContentBlock = TextContent | MediaContent | ResourceLink | EmbeddedResource | UnknownContent;

/** What `execute` resolves to: the server's blocks, read below the SDK's parser (R2). */
export interface McpToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  /**
   * Set where the result was over `limits.resultTokens` and its texts were cut; `structuredContent` is then left out (R4).
   * `handle` is what `mcp__read_result` takes, `tokens` the estimate of the whole.
   */
  readonly truncated?: { readonly handle: string; readonly tokens: number };
}

type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue };

/** The AI SDK's `ToolResultOutput`, declared structurally. */
export type ModelOutput =
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'json'; readonly value: JsonValue }
  | {
      readonly type: 'content';
      readonly value: Array<
        | { type: 'text'; text: string }
        | { type: 'file'; mediaType: string; data: { type: 'data'; data: string }; filename?: string }
      >;
    };

/**
 * A schema object that is Standard Schema, Standard JSON Schema and an AI SDK schema at once (P0). `validate` accepts
 * everything, because `execute` is the gate (D7); each read of the JSON Schema is a fresh clone.
 */
export interface StandardSchemaWithJson extends StandardSchemaV1 {
  readonly '~standard': StandardSchemaV1.Props & { readonly jsonSchema: StandardJSONSchemaV1.Converter };
}

/**
 * How much of an input schema the model sees: all of it, the names and types of parameters, or none of it (D1–D3). The rest is
 * what `mcp__describe_tool` gives.
 */
export type Disclosure = 'full' | 'deferred' | 'bare';

// A type and not an interface: only that is assignable to the AI SDK's `JSONObject`.
export type McpToolMetadata = {
  /** The name of the server; empty for `mcp__describe_tool` and `mcp__read_result` (N5). */
  readonly server: string;
  /** The tool's name as the server publishes it: what the remote call carries (N6). */
  readonly tool: string;
  /** SHA-256 in hex over description, input schema and title (S4). */
  readonly fingerprint: string;
  readonly disclosure: Disclosure;
  readonly state: 'active';
};

export interface ExecuteOptions {
  readonly toolCallId?: string;
  /** Cancels this call, also at the server (C2). */
  readonly abortSignal?: AbortSignal;
  /** Sent to the server as `params._meta.idempotencyKey`. */
  readonly idempotencyKey?: string;
}

/** What is wrong with one argument. */
export interface ArgumentIssue {
  /** JSON Pointer into the arguments; `''` is the whole. */
  readonly path: string;
  readonly message: string;
}

/** One remote tool, structurally an AI SDK dynamic tool. */
export interface McpTool {
  readonly type: 'dynamic';
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: StandardSchemaWithJson;
  readonly metadata: McpToolMetadata;
  /** Rejects with an `McpError` on every failure; never returns an error as a value. */
  execute(args: unknown, options?: ExecuteOptions): Promise<McpToolResult>;
  /** The result as the AI SDK hands it to a model; media stays native (R2). */
  toModelOutput(options: { readonly output: McpToolResult }): ModelOutput;
}

/** `active` tools are in the map; a `quarantined` one is not, and says why (L1). */
export type ToolState = 'active' | 'quarantined';

export interface McpToolSummary {
  /** The projected name: the key in the tool map. */
  readonly name: string;
  readonly server: string;
  /** The tool's name as the server publishes it. */
  readonly tool: string;
  readonly title?: string;
  readonly description: string;
  /** The schema as the model sees it (P4); a fresh clone at each read. */
  readonly inputSchema: unknown;
  /** The fingerprint, over the schema as the server sent it (S4). */
  readonly descriptionHash: string;
  /** Estimated tokens of `{ name, description, inputSchema }` (D1), with the schema in full and as it is shown. */
  readonly tokens: { readonly full: number; readonly projected: number };
  readonly disclosure: Disclosure;
  readonly state: ToolState;
  /** Why it is not `active`. */
  readonly reason?: string;
  /**
   * What `inputSchema` says less of than the server's own, each as `path: reason` with a JSON Pointer after `#` (P3). Absent
   * where nothing was lost. At most 100 are told one by one.
   */
  readonly losses?: readonly string[];
}
