/**
 * Schemas and arguments that a validator may spend minutes on, made from a seed, so that every runtime tries the same (G9).
 * Without any package, since it runs in a Worker too.
 */
export interface CostlyCheck {
  readonly what: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly args: unknown;
}

type Schema = Record<string, unknown>;

/** A random number from 0 up to 1, the same sequence for one seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const parameter = (schema: unknown, rest: Schema = {}): Schema => ({
  type: 'object',
  properties: { p: schema },
  ...rest,
});

/** Definitions of which each refers to the next twice. */
function chain(length: number, keyword: string): Schema {
  const refer = (index: number) => ({ $ref: `#/$defs/d${index + 1}` });
  const links = range(length).map((index) => [`d${index}`, { [keyword]: [refer(index), refer(index)] }]);
  return parameter(
    { $ref: '#/$defs/d0' },
    { $defs: { ...Object.fromEntries(links), [`d${length}`]: { type: 'string' } } },
  );
}

function nested(depth: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < depth; level++) value = { p: value };
  return value;
}

function fixed(): CostlyCheck[] {
  const branching = {
    $ref: '#/$defs/n',
    $defs: { n: { allOf: [parameter({ $ref: '#/$defs/n' }), parameter({ $ref: '#/$defs/n' })] } },
  };
  const wide = range(9_000).map((index) => `k${index}`);
  const objects = range(20_000).map((index) => ({ id: index }));
  const a = 'a'.repeat(30_000);
  return [
    ...['allOf', 'anyOf', 'oneOf'].flatMap((keyword) =>
      ['text', 5].map((p) => ({ what: `a chain of ${keyword} given ${p}`, schema: chain(30, keyword), args: { p } })),
    ),
    {
      what: 'a definition that is itself',
      schema: { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      args: {},
    },
    { what: 'a recursion that branches', schema: branching, args: nested(60) },
    ...['a{1000}b', '(?:a{1000}){1000}b', '(?:(?:(?:a{1000}){1000}){1000}){1000}b'].map((pattern) => ({
      what: pattern,
      schema: parameter({ pattern }),
      args: { p: 'a'.repeat(900_000) },
    })),
    {
      what: 'many properties of items that are repeated, where others must not be',
      schema: {
        properties: {
          p: { items: { properties: Object.fromEntries(range(4_000).map((index) => [`k${index}`, true])) } },
          q: { uniqueItems: true },
        },
      },
      args: { p: wide.map(() => ({})) },
    },
    {
      what: 'a name of a million characters in many schemas',
      schema: { allOf: range(500).map(() => ({ additionalProperties: {} })) },
      args: { ['k'.repeat(1_000_000)]: 1 },
    },
    {
      what: 'texts that fit no alternative',
      schema: parameter({ items: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] } }),
      args: { p: range(1_900).map(() => 'zz') },
    },
    { what: 'distinct items', schema: parameter({ type: 'array', uniqueItems: true }), args: { p: objects } },
    {
      what: 'a repeated item',
      schema: parameter({ type: 'array', uniqueItems: true }),
      args: { p: [...objects, { id: 19_999 }] },
    },
    {
      what: 'a repeated item in a branch',
      schema: parameter({ anyOf: [{ uniqueItems: true }, { type: 'null' }] }),
      args: { p: [...objects, { id: 19_999 }] },
    },
    {
      what: 'arrays of arrays',
      schema: parameter({ items: { uniqueItems: true } }),
      args: { p: range(300).map(() => range(300)) },
    },
    {
      what: 'wide required',
      schema: parameter({ items: { required: wide.slice(0, 1_000) } }),
      args: { p: range(5_000).map(() => ({})) },
    },
    { what: 'one wide required', schema: { required: wide }, args: {} },
    {
      what: 'a wide enum',
      schema: parameter({ items: { enum: wide } }),
      args: { p: range(5_000).map((index) => `x${index}`) },
    },
    {
      what: 'an enum of objects',
      schema: parameter({ items: { enum: range(900).map((index) => ({ a: { b: index } })) } }),
      args: { p: range(2_000).map(() => ({ a: { b: -1 } })) },
    },
    {
      what: 'many alternatives',
      schema: parameter({ items: { anyOf: wide.slice(0, 500).map((name) => ({ type: 'object', required: [name] })) } }),
      args: { p: range(2_000).map(() => ({})) },
    },
    {
      what: 'patterns of names',
      schema: { patternProperties: Object.fromEntries(range(500).map((index) => [`^${index}[a-z]*x`, {}])) },
      args: Object.fromEntries(range(2_000).map((index) => [`${index}${'a'.repeat(50)}`, 1])),
    },
    {
      what: 'names',
      schema: { propertyNames: { anyOf: range(50).map((index) => ({ minLength: 100 + index })) } },
      args: Object.fromEntries(range(5_000).map((index) => [`n${index}`, 1])),
    },
    {
      what: 'many members and many branches',
      schema: { anyOf: range(2_000).map((index) => ({ required: [`z${index}`] })) },
      args: Object.fromEntries(range(5_000).map((index) => [`n${index}`, 1])),
    },
    {
      what: 'contains',
      schema: parameter({ contains: { anyOf: range(40).map((index) => ({ const: -1 - index })) } }),
      args: { p: range(20_000) },
    },
    {
      what: 'lengths of a long text',
      schema: parameter({ allOf: range(2_000).map((index) => ({ minLength: index })) }),
      args: { p: 'x'.repeat(1_000_000) },
    },
    { what: 'many values', schema: parameter({ items: { type: 'integer' } }), args: { p: range(90_000) } },
    {
      what: 'dependent schemas',
      schema: {
        dependentSchemas: Object.fromEntries(
          wide.slice(0, 2_000).map((name) => [name, { dependentRequired: { [name]: ['z'] } }]),
        ),
      },
      args: Object.fromEntries(wide.slice(0, 2_000).map((name) => [name, 1])),
    },
    ...['^(a+)+$', '^(a|a)*$', '^(?:a*)*b', '(a*)(a*)(a*)b', 'a*a*a*a*b', '^(.*)(.*)(.*)(.*)x$', '(.+)\\1$'].flatMap(
      (pattern) =>
        [a.slice(0, 40), a].map((text) => ({
          what: `the pattern ${pattern} on ${text.length} characters`,
          schema: parameter({ pattern }),
          args: { p: `${text}!` },
        })),
    ),
  ];
}

const KEYWORDS = ['allOf', 'anyOf', 'oneOf'] as const;

/** Definitions that refer to each other at random, patterns from a grammar, and data of the same names. */
function random(seed: number): CostlyCheck {
  const next = randomFrom(seed);
  const below = (count: number) => Math.floor(next() * count);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)]!;
  const size = 2 + below(12);
  const reference = () => ({ $ref: `#/$defs/d${below(size)}` });
  const pattern = () => {
    const atom = (): string => pick(['a', '.', '[ab]', '\\w', `(${pick(['a', 'ab', 'a|b', 'a+', 'a?b?'])})`]);
    return (
      range(1 + below(4))
        .map(() => atom() + pick(['', '*', '+', '?', '{1,9}']))
        .join('') + pick(['', '$', 'b'])
    );
  };
  const schema = (depth: number): Schema => {
    const inner = () => (depth > 2 || next() < 0.5 ? reference() : schema(depth + 1));
    return pick<() => Schema>([
      () => ({ [pick(KEYWORDS)]: range(1 + below(6)).map(inner) }),
      () => ({ properties: Object.fromEntries(['p', 'q', 'r'].map((name) => [name, inner()])), required: ['p'] }),
      () => ({ items: inner(), uniqueItems: next() < 0.5 }),
      () => ({ pattern: pattern(), minLength: below(5) }),
      () => ({ additionalProperties: inner(), patternProperties: { [pattern()]: inner() } }),
      () => ({ not: inner() }),
      // biome-ignore lint/suspicious/noThenProperty: it is the keyword
      () => ({ if: inner(), then: inner(), else: inner() }),
      () => ({ enum: range(1 + below(400)).map((index) => `v${index}`) }),
      () => ({ contains: inner(), minContains: below(3) }),
      () => ({ propertyNames: inner(), unevaluatedProperties: inner() }),
    ])();
  };
  const data = (depth: number): unknown => {
    if (depth > 12) return 'a'.repeat(below(60));
    return pick<() => unknown>([
      () => 'ab'.repeat(below(400)),
      () => range(below(depth > 2 ? 4 : 300)).map(() => data(depth + 4)),
      () => Object.fromEntries(['p', 'q', 'r'].map((name) => [name, data(depth + 1)])),
      () => Object.fromEntries(range(below(depth > 2 ? 4 : 200)).map((index) => [`a${index}`, data(depth + 5)])),
      () => below(100),
    ])();
  };
  const $defs = Object.fromEntries(range(size).map((index) => [`d${index}`, schema(0)]));
  return {
    what: `seed ${seed}`,
    schema: { type: 'object', properties: { p: reference(), q: reference() }, $defs },
    args: { p: data(0), q: data(0) },
  };
}

export function costlyChecks(randomCount: number): readonly CostlyCheck[] {
  return [...fixed(), ...range(randomCount).map((index) => random(index + 1))];
}
