import { McpConfigError } from '../core/errors.js';
import { isRecord } from '../core/json.js';
import type { StdioServer } from '../core/servers.js';
import { checkOneOf } from './checks.js';

/** Variables that steer which programs and libraries are found and loaded (T2). */
const STEERING = [
  'BASH_ENV',
  'ENV',
  'IFS',
  'NODE_OPTIONS',
  'NODE_PATH',
  'PATH',
  'PATHEXT',
  'PERL5LIB',
  'PERL5OPT',
  'PYTHONHOME',
  'PYTHONPATH',
  'PYTHONSTARTUP',
  'RUBYLIB',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
  'BUN_OPTIONS',
  'CDPATH',
  'COMSPEC',
];
const STEERING_PREFIXES = ['LD_', 'DYLD_', 'NPM_CONFIG_', 'GIT_SSH', 'BASH_FUNC_'];

/** Checks what is said of a process. Throws `McpConfigError`; nothing is looked up here (W3). */
export function checkLaunch(config: StdioServer, where: string): Omit<StdioServer, 'name'> {
  const { command, cwd, root, data } = config;
  checkText(command, '`command`', where);
  if (command.trim() === '') throw new McpConfigError(`\`command\` of ${where} must name a program.`);
  for (const [name, value] of Object.entries({ cwd, root, data })) {
    if (value !== undefined) checkText(value, `\`${name}\``, where);
  }
  if (data !== undefined && root === undefined) throw new McpConfigError(`\`data\` of ${where} needs \`root\` too.`);
  const args: unknown = config.args ?? [];
  if (!Array.isArray(args)) throw new McpConfigError(`\`args\` of ${where} must be a list of strings.`);
  for (const argument of args) checkText(argument, 'each of `args`', where);
  const envMode = checkOneOf(config.envMode, ['overlay', 'strict'], `envMode of ${where}`) ?? 'overlay';
  const env = checkEnvironment(config.env, envMode, where);
  return Object.freeze({
    type: 'stdio',
    command,
    args: Object.freeze([...args]),
    env,
    envMode,
    ...(cwd === undefined ? {} : { cwd }),
    ...(root === undefined ? {} : { root }),
    ...(data === undefined ? {} : { data }),
  });
}

function checkText(value: unknown, what: string, where: string): void {
  if (typeof value === 'string' && !value.includes('\0')) return;
  throw new McpConfigError(`${what} of ${where} must be a string without a null character.`);
}

/** No value is repeated in a message: it may be a secret. */
function checkEnvironment(env: unknown, mode: 'overlay' | 'strict', where: string): Readonly<Record<string, string>> {
  if (env === undefined) return {};
  if (!isRecord(env) || Symbol.iterator in env) {
    throw new McpConfigError(`\`env\` of ${where} must be a plain object of strings.`);
  }
  for (const [name, value] of Object.entries(env)) {
    if (name === '' || /[=\0]/.test(name)) {
      throw new McpConfigError(`\`env\` of ${where} has a name that is empty, or holds \`=\` or a null character.`);
    }
    checkText(value, `\`env.${name}\``, where);
    if (mode === 'strict' && isSteering(name)) {
      throw new McpConfigError(
        `\`env.${name}\` of ${where} steers which programs or libraries are loaded, which \`envMode: 'strict'\` refuses; remove it.`,
      );
    }
  }
  return Object.freeze({ ...env }) as Readonly<Record<string, string>>;
}

function isSteering(name: string): boolean {
  const upper = name.toUpperCase();
  return STEERING.includes(upper) || STEERING_PREFIXES.some((prefix) => upper.startsWith(prefix));
}
