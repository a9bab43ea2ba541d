import { type Lookup, unset } from './expand.js';
import { isWindowsPath } from './outside.js';

/** Whose format a configuration file has. */
export type McpConfigDialect = 'claude' | 'cursor' | 'vscode' | 'agent-plugins';

/** What the host passes: nothing else is ever put into an entry (T6). */
export interface ConfigValues {
  /** Variables for `${NAME}` or `${env:NAME}`. Default: none, also not those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Answers for `${input:id}`, by id (VS Code). */
  readonly inputs?: Readonly<Record<string, string>>;
  /**
   * The folder of the plugin or workspace, absolute: `${PLUGIN_ROOT}`, `${CLAUDE_PLUGIN_ROOT}`, `${workspaceFolder}`. Local servers
   * run in it and cannot leave it: it becomes their `root` (T3).
   */
  readonly root?: string;
  /**
   * The plugin's own folder for what it keeps, absolute: `${PLUGIN_DATA}`, `${CLAUDE_PLUGIN_DATA}`. The host makes it; a local
   * server may have its `cwd` there instead.
   */
  readonly data?: string;
}

/** The fields of an entry that may hold `${…}`. */
type Field = 'command' | 'args' | 'env' | 'cwd' | 'url' | 'headers';

export interface Dialect {
  /** The member that holds the entries. */
  readonly member: 'mcpServers' | 'servers';
  /** Comments and trailing commas are allowed. */
  readonly comments: boolean;
  readonly expands: readonly Field[];
  /** References that would be taken apart wrongly. */
  readonly refuses?: RegExp;
  /** The folders' names as variables of local servers. */
  readonly folders?: Folders;
  /** What `http` and an entry with nothing but a `url` mean: whether a server of the older transport is tried too. */
  readonly http: 'http' | 'streamable-http';
  lookup(values: ConfigValues): Lookup;
}

type Folders = Readonly<Record<'root' | 'data', string>>;

const CLAUDE_FOLDERS: Folders = { root: 'CLAUDE_PLUGIN_ROOT', data: 'CLAUDE_PLUGIN_DATA' };
export const PLUGIN_FOLDERS: Folders = { root: 'PLUGIN_ROOT', data: 'PLUGIN_DATA' };

const ALL: readonly Field[] = ['command', 'args', 'env', 'cwd', 'url', 'headers'];

export const DIALECTS: Readonly<Record<McpConfigDialect, Dialect>> = {
  claude: {
    member: 'mcpServers',
    comments: false,
    expands: ALL,
    refuses: /\$\{\w+:-[^{}]*\{/,
    folders: CLAUDE_FOLDERS,
    http: 'streamable-http',
    lookup: lookUpClaude,
  },
  cursor: { member: 'mcpServers', comments: true, expands: ALL, http: 'http', lookup: lookUpEditor },
  vscode: { member: 'servers', comments: true, expands: ALL, http: 'http', lookup: lookUpEditor },
  'agent-plugins': {
    member: 'mcpServers',
    comments: false,
    expands: ['args', 'env', 'cwd'],
    folders: PLUGIN_FOLDERS,
    http: 'streamable-http',
    lookup: lookUpPlugin,
  },
};

type Known = Readonly<Record<string, string | undefined>>;

/** What the host passes for the folders, by the names that a format has for them. */
export function folderVariables(folders: Folders, { root, data }: ConfigValues): Known {
  return { [folders.root]: root, [folders.data]: data };
}

function own(values: Known | undefined, name: string): string | undefined {
  return values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
}

/** `${NAME}` and `${NAME:-default}`; the plugin's folders win over variables of their name. */
function lookUpClaude(values: ConfigValues): Lookup {
  const folders = folderVariables(CLAUDE_FOLDERS, values);
  return (reference) => {
    const [, name = '', fallback] = /^(.*?)(?::-(.*))?$/s.exec(reference) ?? [];
    return own(folders, name) ?? own(values.env, name) ?? fallback ?? unset(name);
  };
}

/** `${env:NAME}`, `${workspaceFolder}` and `${userHome}`; in VS Code also `${input:id}`. */
function lookUpEditor({ env, inputs, root }: ConfigValues): Lookup {
  const separator = root !== undefined && isWindowsPath(root) ? '\\' : '/';
  const known: Known = {
    workspaceFolder: root,
    workspaceFolderBasename: root?.split(/[\\/]/).findLast((part) => part !== ''),
    userHome: own(env, 'HOME') ?? own(env, 'USERPROFILE'),
    pathSeparator: separator,
    '/': separator,
  };
  return (reference) => {
    const [, kind, name = ''] = /^(env|input):(.*)$/s.exec(reference) ?? [];
    const found = kind === undefined ? own(known, reference) : own(kind === 'env' ? env : inputs, name);
    return found ?? unset(reference);
  };
}

/** The two folders; any other reference stays as it is written. */
function lookUpPlugin(values: ConfigValues): Lookup {
  const folders = folderVariables(PLUGIN_FOLDERS, values);
  return (name) => {
    if (!Object.hasOwn(folders, name)) return `\${${name}}`;
    return folders[name] ?? unset(name);
  };
}
