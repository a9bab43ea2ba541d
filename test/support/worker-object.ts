/** A Durable Object with SQLite storage and nothing else: the tests in the Workers runtime work within it. */
export class StoreObject {}

export default { fetch: () => new Response(null, { status: 404 }) };
