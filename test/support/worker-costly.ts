import { createChecker } from '../../src/schema/validation/checker.js';
import { toIssues } from '../../src/schema/validation/issues.js';
import { costlyChecks } from './costly-checks.js';

const checks = costlyChecks(100);

/** A Worker's clock stands still while it works, so whoever asks measures. `/nothing` does all but the check. */
const actions: Readonly<Record<string, (index: number) => unknown>> = {
  '/count': () => checks.length,
  '/nothing': (index) => checks[index]!.what,
  '/check': (index) => {
    const { schema, args } = checks[index]!;
    const verdict = createChecker(schema).check(args);
    if (verdict.kind === 'invalid') toIssues(verdict.failures);
    return verdict.kind;
  },
};

export default {
  fetch(request: Request): Response {
    const { pathname, searchParams } = new URL(request.url);
    return Response.json(actions[pathname]!(Number(searchParams.get('index'))));
  },
};
