import { expect } from 'vitest';
import type { FaultPlan } from '../../src/testing/faults/plan.js';
import type { FaultServer } from '../../src/testing/faults/server.js';
import { listen } from '../support/http-host.js';
import { createRecorder, type Recorder } from '../support/recorder.js';

export const STATUSES = [301, 302, 303, 307, 308] as const;
export const POLICIES = ['error', 'same-origin', 'follow'] as const;
export type Status = (typeof STATUSES)[number];
export type Policy = (typeof POLICIES)[number];

export interface Away extends Pick<Recorder, 'requests' | 'reset'> {
  readonly origin: string;
  close(): Promise<void>;
}

/** Another origin, which records all that it sees and answers everything with `status`. */
export async function startAway(status = 200): Promise<Away> {
  const recorder = createRecorder();
  const host = await listen(async (request, response) => {
    if ((await recorder.accept(request, response)) === undefined) return;
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  return {
    origin: host.origin,
    get requests() {
      return recorder.requests;
    },
    reset: recorder.reset,
    close: host.close,
  };
}

/** Whether a redirect of such a request is followed to another origin, by the rule (G5). */
export const isFollowed = (policy: Policy, status: Status, method: string) =>
  policy === 'follow' && (method === 'GET' || status === 307 || status === 308);

/** A call, the end of a session and the stream for notices are all sent away. */
export const sendAway = (location: string, status: Status): FaultPlan =>
  [{ tool: 'effect' }, { method: 'DELETE' }, { method: 'GET' }, { method: 'subscriptions/listen' }].map((match) => ({
    match,
    fault: { kind: 'redirect', status, location },
  }));

/** What only home may see: anything that says who sends it, and the sessions that home gave out. */
const secretsOf = (home: FaultServer) => [
  'canary',
  'cookie',
  'authorization',
  'mcp-session-id',
  'last-event-id',
  ...new Set(home.requests.flatMap(({ session }) => session ?? [])),
];

/** Fails where the other origin saw what it must not see, or what the rule does not have followed. */
export function checkAway(away: Away, home: FaultServer, policy: Policy, status: Status): void {
  for (const { http, headers, url, body, method } of away.requests) {
    expect([http, isFollowed(policy, status, http)]).toEqual([http, true]);
    for (const secret of secretsOf(home)) expect(JSON.stringify([headers, url])).not.toContain(secret);
    // The message goes along where the method is kept, and is the one that was sent home.
    if (http !== 'POST') expect(body).toBe('');
    else expect(home.requests.map((request) => request.method)).toContain(method);
  }
}

/** How many requests home sent away. */
export const sentAway = ({ requests }: FaultServer) =>
  requests.filter(({ fault }) => fault === 'redirect').map(({ http }) => http);
