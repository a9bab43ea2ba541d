import * as client2 from './client2.mjs';
import * as ours from './ours.mjs';
import * as plain from './plain.mjs';
import * as sdk from './sdk.mjs';

const OURS = 'mcp-toolset';

/** Who is compared on a server of each era. `era` is the server's; the options are the client's. */
export const LEGACY = [
  { label: 'plain', connect: plain.connect, options: {} },
  { label: 'sdk', connect: sdk.connect, options: {} },
  { label: 'client2', connect: client2.connect, options: {} },
  { label: 'client2 loose', connect: client2.connect, options: { loose: true } },
  { label: OURS, connect: ours.connect, options: { protocol: 'legacy' } },
  { label: `${OURS}, era unknown`, connect: ours.connect, options: {} },
  { label: `${OURS} + describeTools`, connect: ours.connect, options: { protocol: 'legacy', describe: true } },
].map((each) => ({ ...each, era: 'legacy' }));

export const MODERN = [
  { label: 'plain modern', connect: plain.connect, options: { era: 'modern' } },
  { label: 'client2 modern', connect: client2.connect, options: { era: 'modern' } },
  { label: 'client2 loose modern', connect: client2.connect, options: { era: 'modern', loose: true } },
  { label: `${OURS} modern`, connect: ours.connect, options: {} },
  { label: `${OURS} modern + describeTools`, connect: ours.connect, options: { describe: true } },
].map((each) => ({ ...each, era: 'modern' }));

/** Clients for calls: one way each to list, since only calls are timed. */
export const CALLERS = {
  legacy: LEGACY.filter(({ label }) => ['plain', 'sdk', 'client2', OURS].includes(label)),
  modern: MODERN.filter(({ label }) => ['plain modern', 'client2 modern', `${OURS} modern`].includes(label)),
};

/** Calls the tool that every server of the benchmark has. */
export const ECHO = 'srv0__echo_item';
export const ECHO_ARGS = { owner: 'octocat', repo: 'hello-world', page: 3 };
