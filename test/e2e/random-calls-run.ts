import { isMcpError, type McpErrorCode, type McpToolset } from '../../src/index.js';
import { createRandom } from '../../src/testing/faults/choice.js';

/** What the caller of one key was told. */
export interface Told {
  readonly key: string;
  readonly code: 'ok' | 'foreign-error' | McpErrorCode;
  /** The server answered with a JSON-RPC error. */
  readonly rpcCode: number | undefined;
  /** Where it was aborted: the reason is the signal's own. */
  readonly reasonKept: boolean;
  readonly ms: number;
}

export interface Calling {
  readonly seed: number;
  /** Before each key. */
  readonly prefix?: string;
  readonly calls: number;
  readonly workers: number;
  /** Given with a third of the calls, and never aborted. */
  readonly shared?: AbortSignal;
}

/** Calls the effect under a new key each time, and leaves some calls early. Runs in a Worker too. */
export async function callRandomly({ tools }: Pick<McpToolset, 'tools'>, calling: Calling): Promise<readonly Told[]> {
  const random = createRandom(calling.seed);
  const told: Told[] = [];
  let next = 0;
  const work = async () => {
    while (next < calling.calls) {
      const key = `${calling.prefix ?? 'key-'}${next++}`;
      const controller = new AbortController();
      const [leaves, shares, afterMs] = [random() < 0.06, random() < 0.33, Math.floor(random() * 25)];
      const abortSignal = leaves ? controller.signal : shares ? calling.shared : undefined;
      const timer = leaves ? setTimeout(() => controller.abort(key), afterMs) : undefined;
      const end = await tellOf(
        tools.s__effect!.execute({ key }, abortSignal === undefined ? {} : { abortSignal }),
        key,
      );
      clearTimeout(timer);
      told.push(end);
      // Failed calls with nothing to wait for would otherwise pass through an outage in no time.
      if (end.code === 'connect-failed' || end.code === 'breaker-open') await new Promise((go) => setTimeout(go, 20));
    }
  };
  await Promise.all(Array.from({ length: calling.workers }, work));
  return told;
}

async function tellOf(call: Promise<unknown>, key: string): Promise<Told> {
  const startedAt = Date.now();
  const told = (code: Told['code'], error: { rpcCode?: number; reason?: unknown } = {}): Told => ({
    key,
    code,
    rpcCode: error.rpcCode,
    reasonKept: code !== 'aborted' || error.reason === key,
    ms: Date.now() - startedAt,
  });
  try {
    await call;
    return told('ok');
  } catch (error) {
    return isMcpError(error) ? told(error.code, error as object) : told('foreign-error');
  }
}
