const PLAIN_CODE = /^[A-Za-z0-9_]{1,40}$/;
const MAX_DEPTH = 5;

/**
 * The code of a runtime's network error (`ECONNREFUSED`, `UND_ERR_SOCKET`, `ConnectionRefused`), which sits on the error,
 * on a cause, or on the first of several errors. Messages are never read (C5).
 */
export function networkCode(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < MAX_DEPTH && typeof current === 'object' && current !== null; depth++) {
    try {
      const { code, cause, errors } = current as { code?: unknown; cause?: unknown; errors?: unknown };
      if (typeof code === 'string' && PLAIN_CODE.test(code)) return code;
      current = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
    } catch {
      // A getter of a foreign error threw: it has nothing to say.
      return undefined;
    }
  }
  return undefined;
}
