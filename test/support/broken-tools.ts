/**
 * Tool definitions that servers should not send and do. Each is raw JSON text, because some of them cannot be written
 * as a value (`1e400`, `__proto__`, duplicate keys, lone surrogates).
 */
export interface BrokenTool {
  readonly label: string;
  /** One entry of `tools`; for `duplicate`, two entries with a comma between them. */
  readonly json: string;
  /**
   * `quarantined`: in the report with a reason, not exposed. `active`: looks odd, is legal and must load.
   * `duplicate`: two tools of one name, neither is exposed. `header`: excluded on 2026-07-28 over HTTP only.
   */
  readonly expected: 'quarantined' | 'active' | 'duplicate' | 'header';
  /** The raw name, where the entry has one that is a non-empty string. */
  readonly name?: string;
}

export const GOOD_BEFORE = 'good_before';
export const GOOD_AFTER = 'good_after';

/** Depth of the deepest schema here, in nested `properties`. */
const DEEP_LEVELS = 6_000;
/** Sub-schemas of the widest schema here. */
const WIDE_NODES = 10_001;

const OBJECT = '{"type":"object"}';

function good(name: string): string {
  return `{"name":"${name}","description":"A good tool.","inputSchema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}}`;
}

function entry(expected: BrokenTool['expected'], name: string, label: string, fields: string): BrokenTool {
  return { label, expected, name, json: `{"name":${JSON.stringify(name)},${fields}}` };
}

/** A nameless or unreadable entry. */
function nameless(label: string, json: string): BrokenTool {
  return { label, expected: 'quarantined', json };
}

function withSchema(expected: BrokenTool['expected'], name: string, label: string, schema: string): BrokenTool {
  return entry(expected, name, label, `"description":"d","inputSchema":${schema}`);
}

function deep(levels: number): string {
  return `${'{"type":"object","properties":{"a":'.repeat(levels)}{"type":"string"}${'}}'.repeat(levels)}`;
}

function wide(nodes: number): string {
  const properties = Array.from({ length: nodes }, (_, index) => `"p${index}":{"type":"string"}`);
  return `{"type":"object","properties":{${properties.join(',')}}}`;
}

function header(name: string, label: string, property: string): BrokenTool {
  return withSchema('header', name, label, `{"type":"object","properties":{"region":${property}}}`);
}

/** A function, because two of them are large. */
export function brokenTools(): readonly BrokenTool[] {
  return [
    entry('quarantined', 'no_schema', 'no inputSchema', '"description":"d"'),
    withSchema('quarantined', 'schema_null', 'inputSchema null', 'null'),
    withSchema('quarantined', 'schema_array', 'inputSchema an array', '[]'),
    withSchema('quarantined', 'schema_string', 'inputSchema a string', '"object"'),
    withSchema('quarantined', 'schema_number', 'inputSchema a number', '7'),
    withSchema('quarantined', 'schema_boolean', 'inputSchema true', 'true'),
    withSchema('quarantined', 'root_type_string', 'a root type other than object', '{"type":"string"}'),
    withSchema('quarantined', 'root_type_list', 'a root type list without object', '{"type":["array","null"]}'),
    withSchema(
      'quarantined',
      'root_ref_string',
      'a root that refers to a string',
      '{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"type":"string"}}}',
    ),
    withSchema('quarantined', 'properties_array', 'properties an array', '{"type":"object","properties":[]}'),
    withSchema('quarantined', 'properties_null', 'properties null', '{"type":"object","properties":null}'),
    withSchema(
      'quarantined',
      'required_string',
      'required a string',
      '{"type":"object","properties":{"a":{}},"required":"a"}',
    ),
    withSchema('quarantined', 'deep', 'a schema 6,000 deep', deep(DEEP_LEVELS)),
    withSchema('quarantined', 'wide', 'a schema with over 10,000 nodes', wide(WIDE_NODES)),
    withSchema(
      'quarantined',
      'not_finite',
      'a number that is not finite',
      '{"type":"object","properties":{"n":{"type":"number","maximum":1e400}}}',
    ),
    entry('quarantined', 'description_null', 'description null', `"description":null,"inputSchema":${OBJECT}`),
    entry('quarantined', 'description_number', 'description a number', `"description":7,"inputSchema":${OBJECT}`),
    entry('quarantined', 'title_number', 'title a number', `"title":7,"description":"d","inputSchema":${OBJECT}`),
    entry(
      'quarantined',
      'annotations_string',
      'annotations a string',
      `"description":"d","inputSchema":${OBJECT},"annotations":"safe"`,
    ),
    nameless('a numeric name', `{"name":7,"description":"d","inputSchema":${OBJECT}}`),
    nameless('an empty name', `{"name":"","description":"d","inputSchema":${OBJECT}}`),
    nameless('a name that is null', `{"name":null,"description":"d","inputSchema":${OBJECT}}`),
    nameless('no name', `{"description":"d","inputSchema":${OBJECT}}`),
    nameless('an empty object', '{}'),
    nameless('null as an entry', 'null'),
    nameless('a string as an entry', '"tool"'),
    nameless('a number as an entry', '7'),
    nameless('an array as an entry', '[]'),

    entry(
      'active',
      'output_array',
      'an array-typed outputSchema',
      `"description":"d","inputSchema":${OBJECT},"outputSchema":{"type":"array","items":{"type":"string"}}`,
    ),
    // An outputSchema in any form is for results, and never keeps a tool from loading.
    entry(
      'active',
      'output_string',
      'outputSchema a string',
      `"description":"d","inputSchema":${OBJECT},"outputSchema":"object"`,
    ),
    entry(
      'active',
      'output_dangling',
      'an outputSchema with a dangling $ref',
      `"description":"d","inputSchema":${OBJECT},"outputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`,
    ),
    entry(
      'active',
      'output_draft_04',
      'an outputSchema of an old dialect',
      `"description":"d","inputSchema":${OBJECT},"outputSchema":{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`,
    ),
    entry('active', 'no_description', 'no description', `"inputSchema":${OBJECT}`),
    withSchema('active', 'bare', 'a bare object schema', OBJECT),
    // The arguments are an object whatever a root leaves unsaid (P4).
    withSchema('active', 'root_any_of', 'a root anyOf without type', '{"anyOf":[{"type":"object"},{"type":"object"}]}'),
    withSchema('active', 'root_nullable', 'a root that may be null', '{"type":["object","null"]}'),
    withSchema('active', 'root_empty', 'an empty schema', '{}'),
    withSchema('active', 'root_ref', 'a root that refers to an object', `{"$ref":"#/$defs/a","$defs":{"a":${OBJECT}}}`),
    withSchema('active', 'root_ref_lost', 'a root that refers elsewhere', '{"$ref":"https://example.test/a.json"}'),
    // Only the root of a schema is judged: what a sub-schema means is the provider profile's business, and a model can call
    // a tool whose argument is described badly.
    withSchema(
      'active',
      'property_string',
      'a property that is a string',
      '{"type":"object","properties":{"a":"string"}}',
    ),
    withSchema(
      'active',
      'any_of_beside_type',
      'an anyOf beside the root type',
      '{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{},"b":{}}}',
    ),
    withSchema(
      'active',
      'proto_key',
      'a property named __proto__',
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
    ),
    withSchema('active', 'recursive', 'a recursive local $ref', '{"type":"object","properties":{"next":{"$ref":"#"}}}'),
    entry('active', '__proto__', 'a tool named __proto__', `"description":"d","inputSchema":${OBJECT}`),
    entry(
      'active',
      'unknown_fields',
      'fields that no revision knows',
      `"description":"d","inputSchema":${OBJECT},"weight":[1,{"a":null}],"icons":[]`,
    ),
    {
      label: 'a name with a lone surrogate',
      expected: 'active',
      name: 'lone_\ud800',
      json: `{"name":"lone_\\ud800","description":"d","inputSchema":${OBJECT}}`,
    },
    {
      label: 'a key given twice',
      expected: 'active',
      name: 'second_name',
      json: `{"name":"first_name","name":"second_name","description":"d","inputSchema":${OBJECT}}`,
    },

    {
      label: 'a name given to two tools',
      expected: 'duplicate',
      name: 'twice',
      json: `{"name":"twice","description":"one","inputSchema":${OBJECT}},{"name":"twice","description":"two","inputSchema":${OBJECT}}`,
    },

    header('header_empty', 'an empty x-mcp-header', '{"type":"string","x-mcp-header":""}'),
    header('header_space', 'an x-mcp-header that is no token', '{"type":"string","x-mcp-header":"My Region"}'),
    header('header_number', 'an x-mcp-header that is no string', '{"type":"string","x-mcp-header":7}'),
    header('header_object', 'an x-mcp-header on an object', '{"type":"object","x-mcp-header":"Region"}'),
    withSchema(
      'header',
      'header_twice',
      'one x-mcp-header on two properties',
      '{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"string","x-mcp-header":"region"}}}',
    ),
    withSchema(
      'header',
      'header_in_items',
      'an x-mcp-header inside items',
      '{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"Region"}}}}',
    ),
  ];
}

/** JSON text of a `tools` array: a good tool, the given ones, another good tool. Use with `rawJson`. */
export function withGoodSiblings(tools: readonly BrokenTool[]): string {
  return `[${[good(GOOD_BEFORE), ...tools.map((tool) => tool.json), good(GOOD_AFTER)].join(',')}]`;
}
