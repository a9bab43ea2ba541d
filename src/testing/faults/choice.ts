import { McpConfigError } from '../../core/errors.js';
import type { EffectTime, Fault, FaultKind, FaultMatch, FaultPlan, RandomFaults } from './plan.js';

/** What a plan is told of a request. */
export interface Judged {
  /** The HTTP method. */
  readonly http: string;
  /** The JSON-RPC method, where the request carries a message with one. */
  readonly method?: string | undefined;
  readonly tool?: string | undefined;
  /** The message wants an answer. */
  readonly isRequest: boolean;
}

export interface Judge {
  /** The fault that this request, the next one to arrive, meets. */
  next(request: Judged): Fault | undefined;
}

/** When the effect happens by default; `undefined` where a fault leaves the method alone and the plan cannot say. */
export const EFFECTS: Readonly<Record<FaultKind, EffectTime | undefined>> = {
  'dead-before-headers': 'before',
  'dead-after-headers': 'before',
  'dead-after-event': 'before',
  'half-closed': 'before',
  'refuse-connections': 'before',
  silent: 'before',
  'never-answers': 'before',
  'endless-line': 'before',
  'not-json': 'none',
  'empty-200': 'none',
  'accepted-202': 'none',
  'rpc-error': 'none',
  'http-error': 'none',
  'session-expired': 'none',
  'header-mismatch': 'none',
  'unsupported-version': 'none',
  unauthorized: 'none',
  redirect: 'none',
  'wrong-id': undefined,
  'other-id-type': undefined,
  'duplicate-answer': undefined,
  'no-result-type': undefined,
  'odd-result-type': undefined,
  'oversized-body': undefined,
  'endless-pages': undefined,
  delay: undefined,
  'late-answer': undefined,
  'slow-drip': undefined,
  'progress-flood': undefined,
  'list-changed-storm': undefined,
};

const EFFECT_TIMES: readonly EffectTime[] = ['before', 'after', 'none'];

/**
 * Follows one plan over the requests of a server. The same requests in the same order meet the same faults.
 *
 * @throws McpConfigError for a kind that does not exist, a count below 1 and a weight below 0.
 */
export function createJudge(plan: FaultPlan): Judge {
  const { rules = [], random } = isList(plan) ? { rules: plan } : plan;
  const counted = rules.map(({ match = {}, fault }) => {
    checkKind(fault.kind);
    return { fault, hits: createMatcher(match) };
  });
  const draw = random === undefined ? undefined : createDraw(random);
  return {
    next(request) {
      let found: Fault | undefined;
      // Every rule counts every request; only the first that hits is spent.
      for (const { fault, hits } of counted) if (hits(request, found === undefined)) found = fault;
      return found ?? draw?.(request);
    },
  };
}

function isList(plan: FaultPlan): plan is Extract<FaultPlan, readonly unknown[]> {
  return Array.isArray(plan);
}

type Matcher = (request: Judged, free: boolean) => boolean;

function createMatcher(match: FaultMatch): Matcher {
  for (const name of ['nth', 'every', 'times'] as const) checkCount(name, match[name]);
  const { nth, every } = match;
  const first = nth ?? every ?? 1;
  const step = every ?? 1;
  const times = match.times ?? (nth !== undefined && every === undefined ? 1 : Number.POSITIVE_INFINITY);
  let seen = 0;
  let spent = 0;
  return (request, free) => {
    if (!isAbout(match, request)) return false;
    seen += 1;
    const hit = free && spent < times && seen >= first && (seen - first) % step === 0;
    if (hit) spent += 1;
    return hit;
  };
}

/** Whether a match speaks of a request, without its counts. */
function isAbout({ method, tool }: FaultMatch, request: Judged): boolean {
  if (tool !== undefined && request.tool !== tool) return false;
  if (method === '*') return true;
  if (method !== undefined) return (request.method ?? request.http) === method;
  return request.isRequest;
}

function createDraw({ seed, weights, match = {}, faults = [] }: RandomFaults): (request: Judged) => Fault | undefined {
  const random = createRandom(seed);
  const hits = createMatcher(match);
  const drawn = Object.entries(weights).map(([kind, weight]) => {
    if (kind !== 'none') checkKind(kind);
    if (!(weight >= 0 && Number.isFinite(weight))) throw invalid(`\`weights.${kind}\` must be a number from 0 on`);
    return { kind: kind as FaultKind | 'none', weight };
  });
  for (const { kind } of faults) checkKind(kind);
  const sum = drawn.reduce((total, { weight }) => total + weight, 0);
  return (request) => {
    if (!hits(request, true)) return undefined;
    // Always three draws, so that what one request meets does not move what the next one meets.
    const [point, which, when] = [random() * sum, random(), random()];
    let passed = 0;
    const kind = drawn.find(({ weight }) => {
      passed += weight;
      return point < passed;
    })?.kind;
    if (kind === undefined || kind === 'none') return undefined;
    const ready = faults.filter((fault) => fault.kind === kind);
    // Every field but the kind has a default.
    const fault = ready[Math.floor(which * ready.length)] ?? ({ kind } as Fault);
    return withEffect(fault, EFFECT_TIMES[Math.floor(when * EFFECT_TIMES.length)]!);
  };
}

/** An answer that is lost may be lost before or after the work; what is refused is refused. */
function withEffect(fault: Fault, effect: EffectTime): Fault {
  if (EFFECTS[fault.kind] !== 'before' || 'effect' in fault) return fault;
  return { ...fault, effect } as Fault;
}

/** Numbers from 0 (inclusive) to 1 (exclusive): mulberry32, small and the same everywhere. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function checkKind(kind: string): void {
  if (!Object.hasOwn(EFFECTS, kind)) throw invalid(`there is no fault \`${kind}\``);
}

function checkCount(name: string, count: number | undefined): void {
  if (count === undefined || (Number.isInteger(count) && count >= 1)) return;
  throw invalid(`\`${name}\` of a match must be a whole number from 1 on`);
}

function invalid(problem: string): McpConfigError {
  return new McpConfigError(`A fault plan is not usable: ${problem}.`);
}
