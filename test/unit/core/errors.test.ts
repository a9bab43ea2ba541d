import { describe, expect, it } from 'vitest';
import * as errors from '../../../src/core/errors.js';

const DETAILS = { server: 's', tool: 't' };
const made: readonly [name: string, code: string, error: errors.McpError][] = [
  ['McpConfigError', 'config', new errors.McpConfigError('m', DETAILS)],
  ['McpConnectError', 'host-denied', new errors.McpConnectError('host-denied', 'm', DETAILS)],
  ['McpProtocolError', 'protocol', new errors.McpProtocolError('m', { ...DETAILS, rpcCode: -1 })],
  [
    'McpToolExecutionError',
    'tool-error',
    new errors.McpToolExecutionError('m', { ...DETAILS, result: { content: [] } }),
  ],
  [
    'McpInvalidArgumentsError',
    'invalid-arguments',
    new errors.McpInvalidArgumentsError('m', { ...DETAILS, issues: [] }),
  ],
  ['McpToolUnavailableError', 'quarantined', new errors.McpToolUnavailableError('quarantined', 'm', DETAILS)],
  ['McpOutcomeUnknownError', 'outcome-unknown', new errors.McpOutcomeUnknownError('m', DETAILS)],
  ['McpLimitError', 'limit', new errors.McpLimitError('m', { ...DETAILS, limit: 'l', max: 1 })],
  ['McpTimeoutError', 'timeout', new errors.McpTimeoutError('m', DETAILS)],
  ['McpAbortError', 'aborted', new errors.McpAbortError('m', { ...DETAILS, reason: 1 })],
  ['McpClosedError', 'closed', new errors.McpClosedError('m', DETAILS)],
];

describe('errors', () => {
  it.each(made)('%s has its name, code, server and tool', (name, code, error) => {
    expect(error).toBeInstanceOf(errors.McpError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name, code, message: 'm', ...DETAILS });
    expect(error.cause).toBeUndefined();
    expect(String(error)).toBe(`${name}: m`);
    expect(errors.isMcpError(error)).toBe(true);
  });

  it('that one connect failed with are said of the tool of each call, and stay as they are', () => {
    const cause = new errors.McpTimeoutError('inner');
    const error = new errors.McpConnectError('breaker-open', 'm', { server: 's', cause });
    const copy = errors.withTool(error, 't');
    expect(copy).toMatchObject({ name: 'McpConnectError', code: 'breaker-open', message: 'm', server: 's', tool: 't' });
    expect(copy).toBeInstanceOf(errors.McpConnectError);
    expect(Object.prototype.toString.call(copy)).toBe('[object Error]');
    expect(errors.isMcpError(copy)).toBe(true);
    expect(copy.cause).toBe(cause);
    expect(JSON.parse(JSON.stringify(copy))).toEqual({ code: 'breaker-open', server: 's', tool: 't' });
    expect(error.tool).toBeUndefined();
  });

  it('are known across copies of the library, and nothing else is', () => {
    expect(errors.isMcpError({ [Symbol.for('mcp-toolset.error')]: true })).toBe(true);
    for (const value of [null, undefined, 'McpError', {}, new Error('McpError'), { code: 'config' }]) {
      expect(errors.isMcpError(value)).toBe(false);
    }
  });
});

describe('a cause', () => {
  const of = (cause: unknown) => new errors.McpConfigError('m', { cause }).cause;

  it('keeps class name, code and status, and nothing that could hold a secret', () => {
    const foreign = Object.assign(new TypeError('secret'), {
      code: 'ECONNRESET',
      status: 502,
      headers: { authorization: 'secret' },
      body: 'secret',
      cause: Object.assign(new Error('secret'), { code: 7 }),
    });
    expect(of(foreign)).toEqual({
      name: 'TypeError',
      code: 'ECONNRESET',
      status: 502,
      cause: { name: 'Error', code: 7 },
    });
  });

  it('that is an error of ours stays itself', () => {
    const own = new errors.McpClosedError('closed');
    expect(of(own)).toBe(own);
  });

  it.each([
    [undefined, undefined],
    [null, undefined],
    ['secret', { name: 'string' }],
    [{ name: 'two words', code: 'a b' }, { name: 'Error' }],
    [{ name: 'x'.repeat(100), status: 'secret' }, { name: 'Error' }],
    [{ name: 'E', code: { secret: 1 } }, { name: 'E' }],
  ])('of %o is %o', (cause, kept) => expect(of(cause)).toEqual(kept));

  it('that fights back has nothing to say', () => {
    const hostile = {
      get name(): string {
        throw new Error('secret');
      },
    };
    expect(of(hostile)).toEqual({ name: 'Error' });
  });

  it('chain is cut, also where it is a circle', () => {
    const circle: { name: string; cause?: unknown } = { name: 'C' };
    circle.cause = circle;
    expect(JSON.stringify(of(circle)).match(/"C"/g)).toHaveLength(4);
  });
});

it('R7 what throws when it is looked at is no error of ours', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(errors.isMcpError(proxy)).toBe(false);
});
