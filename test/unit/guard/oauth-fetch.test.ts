import { expect, it } from 'vitest';
import { createOAuthRequests } from '../../../src/guard/oauth-fetch.js';

const FIRST = 'https://as.example/.well-known/first';
const SECOND = 'https://as.example/.well-known/second';

/** Requests whose answers are given in order; a place that has none left cannot be reached. */
function requestsOver(answers: Record<string, (Response | undefined)[]>) {
  const asked: string[] = [];
  const fetch = async (url: unknown) => {
    asked.push(String(url));
    const answer = answers[String(url)]?.shift();
    if (answer === undefined) throw new TypeError('Failed to fetch');
    return answer;
  };
  const signal = new AbortController().signal;
  const requests = createOAuthRequests({ server: 'crm', fetch: fetch as never, allowed: undefined, signal });
  return { asked, requests, get: requests.within(() => ({ allowed: true })) };
}

// The SDK does so in a browser, where a network error may be a refusal of the headers.
it('G11 a place that could not be reached may be asked once more, and then counts as read', async () => {
  const { get, requests } = requestsOver({
    [FIRST]: [undefined, Response.json({ a: 1 })],
    [SECOND]: [Response.json({})],
  });
  await expect(get(FIRST, { headers: { 'mcp-protocol-version': '1' } })).rejects.toBeInstanceOf(TypeError);
  expect(requests.failure).toMatchObject({ code: 'unauthorized' });
  expect(await (await get(FIRST)).json()).toEqual({ a: 1 });
  expect(requests.failure).toBeUndefined();
  expect((await get(SECOND)).status).toBe(200);
});

it('G11 no other place is asked for what one could not say', async () => {
  const { get, requests, asked } = requestsOver({ [SECOND]: [Response.json({})] });
  await expect(get(FIRST)).rejects.toBeInstanceOf(TypeError);
  await expect(get(FIRST)).rejects.toBeInstanceOf(TypeError);
  await expect(get(SECOND)).rejects.toMatchObject({ code: 'unauthorized', message: expect.stringContaining('later') });
  await expect(get(FIRST)).rejects.toBe(requests.failure);
  expect(asked).toEqual([FIRST, FIRST]);
});
