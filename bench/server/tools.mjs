/** Tool definitions as real servers publish them: about 1.9 KB each, the same for every run. */

const VERBS = 'list get create update delete search archive assign merge export import move rename watch approve'.split(
  ' ',
);
const NOUNS = (
  'issue pull_request repository branch commit workflow_run channel message thread customer invoice payment_intent ' +
  'subscription refund page database block project sprint board ticket comment user team label milestone release ' +
  'deployment dashboard alert document folder calendar_event contact deal webhook'
).split(' ');
const QUALIFIERS = ['', '', '_v2', '_batch', '_by_id', '_history', '_metadata', '_permissions', '_attachments'];
const NOTES = [
  'Returns the resulting object as JSON.',
  'Requires write access to the target and fails with a 403 otherwise.',
  'Use this tool only when the user explicitly asks for it; prefer the search tool to find identifiers first.',
  'Results are paginated; call again with the returned cursor to get more.',
  'The operation is idempotent: repeating it with the same arguments has no further effect.',
  'This action cannot be undone, so confirm with the user before calling it.',
];

const text = (description, more) => ({ type: 'string', description, ...more });
const number = (description, more) => ({ type: 'integer', description, ...more });
const flag = (description) => ({ type: 'boolean', description, default: false });
const list = (description, items, more) => ({ type: 'array', description, items, ...more });
const object = (description, properties, required) => ({ type: 'object', description, properties, required });

const PARAMETERS = Object.entries({
  owner: text('Repository owner (username or organization name). Case-insensitive.'),
  repo: text('Name of the repository, without the owner prefix or a trailing ".git"'),
  title: text('Human readable title shown in lists and notifications'),
  body: text('Body content in Markdown. Mentions (@user) notify the mentioned account.'),
  query: text("Search query using the service's search syntax, e.g. `is:open label:bug author:octocat`"),
  page: number('Page number for pagination (min 1)', { minimum: 1 }),
  perPage: number('Results per page for pagination (min 1, max 100)', { minimum: 1, maximum: 100 }),
  cursor: text('Opaque pagination cursor returned as `nextCursor` by a previous call; omit for the first page'),
  state: text('Filter by state', { enum: ['open', 'closed', 'all'] }),
  sort: text('Property to sort by', { enum: ['created', 'updated', 'comments', 'priority', 'due_date'] }),
  direction: text('Sort direction', { enum: ['asc', 'desc'] }),
  since: text('Only show results updated after the given time, e.g. 2026-01-31T00:00:00Z', { format: 'date-time' }),
  due_on: text('Due date in YYYY-MM-DD; interpreted in the workspace time zone', { format: 'date' }),
  account_id: text('Unique identifier of the account, in UUID form', { format: 'uuid' }),
  email: text('Email address of the person to act on; must belong to a member of the workspace', { format: 'email' }),
  callback_url: text('HTTPS URL which will receive a POST once the job has finished', { format: 'uri' }),
  dry_run: flag('Validate the request and report what would change without changing anything'),
  include_archived: flag('Whether archived items are part of the result'),
  amount: number('Amount in the smallest currency unit (e.g. 100 cents to charge $1.00)', { minimum: 1 }),
  currency: text('Three-letter ISO 4217 currency code, lowercase', {
    enum: ['usd', 'eur', 'gbp', 'jpy', 'chf', 'cad'],
  }),
  priority: text('Priority of the item', { enum: ['urgent', 'high', 'medium', 'low', 'none'] }),
  visibility: text('Who can see the item after it has been created', { enum: ['public', 'private', 'internal'] }),
  limit: number('Maximum number of items to return', { minimum: 1, maximum: 500, default: 50 }),
  ref: text('Git reference: a branch name, a tag, or a full 40 character commit SHA'),
  channel_id: text('Identifier of the channel (starts with C, G or D), not its display name'),
  thread_ts: text('Timestamp of the parent message when replying in a thread, e.g. 1700000000.000100'),
});

const NESTED = Object.entries({
  filter: object('Structured filter; all given conditions must hold', {
    and: list(
      'Conditions which must all hold',
      object(
        'One condition',
        {
          property: text('Property name or id'),
          operator: text('How to compare', { enum: ['equals', 'contains', 'starts_with', 'is_empty', 'greater_than'] }),
          value: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
        },
        ['property', 'operator'],
      ),
    ),
  }),
  labels: list('Labels to apply to the item; unknown labels are created', { type: 'string' }, { maxItems: 100 }),
  assignees: list('Usernames to assign; at most ten people can be assigned', { type: 'string' }, { maxItems: 10 }),
  files: list(
    'Array of file objects to push, each with path and content',
    object(
      'One file',
      {
        path: text('Path of the file inside the repository'),
        content: text('New file content'),
        encoding: text('Encoding of the content', { enum: ['utf-8', 'base64'], default: 'utf-8' }),
      },
      ['path', 'content'],
    ),
  ),
  address: object(
    'Postal address of the customer',
    {
      line1: text('Street address, P.O. box or company name'),
      city: text('City, district, suburb, town or village'),
      postal_code: text('Postal code', { pattern: '^[0-9A-Za-z -]{3,10}$' }),
      country: text('Two-letter ISO 3166-1 country code', { minLength: 2, maxLength: 2 }),
    },
    ['line1', 'city', 'country'],
  ),
});

/** The tool every server has: the target of the calls. */
const ECHO = {
  name: 'echo_item',
  title: 'Echo item',
  description: 'Returns the item.',
  inputSchema: {
    type: 'object',
    properties: { owner: { type: 'string' }, repo: { type: 'string' }, page: { type: 'number' } },
    required: ['owner', 'repo'],
  },
};

/** A small generator of numbers in [0, 1), the same sequence for the same seed (mulberry32). */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** `count` tools with distinct names, `echo_item` first. */
export function makeTools(count) {
  const random = createRandom(42);
  const names = new Set();
  const tools = [ECHO];
  while (tools.length < count) tools.push(makeTool(random, names));
  return tools.slice(0, count);
}

function makeTool(random, names) {
  const pick = (from) => from[Math.floor(random() * from.length)];
  const verb = pick(VERBS);
  const noun = pick(NOUNS);
  let name = `${verb}_${noun}${pick(QUALIFIERS)}`;
  if (names.has(name)) name += `_${names.size}`;
  names.add(name);
  const human = `${verb[0].toUpperCase()}${verb.slice(1)} ${noun.replaceAll('_', ' ')}`;
  return {
    name,
    title: human,
    description: [`${human} in the connected workspace.`, ...new Set([pick(NOTES), pick(NOTES)])].join(' '),
    inputSchema: makeSchema(random, pick),
    annotations: { readOnlyHint: verb === 'get' || verb === 'list', destructiveHint: verb === 'delete' },
  };
}

function makeSchema(random, pick) {
  const properties = {};
  const required = [];
  const size = 7 + Math.floor(random() * 9);
  while (Object.keys(properties).length < size) {
    const [key, schema] = pick(PARAMETERS);
    if (key in properties) continue;
    properties[key] = schema;
    if (required.length < 4 && random() < 0.35) required.push(key);
  }
  for (let nested = Math.floor(random() * 3); nested > 0; nested--) {
    const [key, schema] = pick(NESTED);
    properties[key] = schema;
  }
  const $schema = 'http://json-schema.org/draft-07/schema#';
  return { type: 'object', properties, required, additionalProperties: false, $schema };
}
