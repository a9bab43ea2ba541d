import { expect, it } from 'vitest';
import { childEnvironment } from '../../../../src/transports/stdio/environment.js';

const HOST = {
  HOME: '/home/ada',
  LOGNAME: 'ada',
  PATH: '/usr/bin',
  SHELL: '/bin/sh',
  TERM: 'xterm',
  USER: 'ada',
  LANG: 'C',
  NODE_OPTIONS: '--inspect',
  AWS_SECRET_ACCESS_KEY: 'secret',
  UNSET: undefined,
};

it('T2 a child inherits the least of the host, on POSIX', () => {
  const { LANG: _1, NODE_OPTIONS: _2, AWS_SECRET_ACCESS_KEY: _3, UNSET: _4, ...least } = HOST;
  for (const platform of ['linux', 'darwin', 'freebsd']) expect(childEnvironment(platform, HOST, {})).toEqual(least);
});

it('T2 what the entry adds comes last, on POSIX by its exact name', () => {
  const { PATH, HOME, path } = childEnvironment('linux', HOST, { PATH: '/own', path: 'x' });
  expect([PATH, HOME, path]).toEqual(['/own', '/home/ada', 'x']);
});

it('T2 a shell’s exported function is not inherited, what the entry says is kept', () => {
  expect(childEnvironment('linux', { SHELL: '() { :; }' }, { X: '() { :; }' })).toEqual({ X: '() { :; }' });
});

it('T2 on Windows case plays no part, and no name is there twice', () => {
  const host = {
    Path: 'C:\\Windows',
    SystemRoot: 'C:\\Windows',
    windir: 'C:\\Windows',
    ComSpec: 'cmd.exe',
    Secret: 'x',
  };
  expect(childEnvironment('win32', host, {})).toEqual({
    Path: 'C:\\Windows',
    SystemRoot: 'C:\\Windows',
    windir: 'C:\\Windows',
    ComSpec: 'cmd.exe',
  });
  expect(childEnvironment('win32', host, { PATH: 'D:\\' })).toEqual({
    PATH: 'D:\\',
    SystemRoot: 'C:\\Windows',
    windir: 'C:\\Windows',
    ComSpec: 'cmd.exe',
  });
});

it('T2 a name of the object’s prototype is a variable like any other', () => {
  const added = JSON.parse('{"__proto__":"x","constructor":"y"}');
  expect(Object.entries(childEnvironment('linux', {}, added))).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
});
