import { runScenario } from './scenario.js';

/** Whether this Worker has Node's modules and globals. */
async function hasNode(): Promise<boolean> {
  // Not written as a literal: a bundler would resolve it.
  const name = ['node', 'events'].join(':');
  const module: Promise<boolean> = import(name);
  return module.then(
    () => true,
    () => false,
  );
}

/** The scenario within one request, whose body says where the servers are. */
export default {
  fetch: async (request: Request) =>
    Response.json({ hasNode: await hasNode(), checks: await runScenario(await request.json()) }),
};
