// Hostile requests, or requests of a broken client: a description, and the expected status. The test checks the
// statuses.

export interface HostileRequest {
  what: string;
  status: number;
  method?: string;
  /** The path after /graphql. */
  search?: string;
  headers?: Record<string, string>;
  body?: string;
}

const viewer = '{ viewer { name } }';

function times(count: number, each: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => each(index)).join(' ');
}

function nested(levels: number, opening: string, inside: string, closing: string): string {
  return `${opening.repeat(levels)}${inside}${closing.repeat(levels)}`;
}

/** `levels` fragments, each of which spreads the next one twice. */
function doubling(levels: number): string {
  const fragments = times(levels, (index) => `fragment f${index} on Agent { ...f${index + 1} ...f${index + 1} }`);
  return `{ agents { nodes { ...f0 } } } ${fragments} fragment f${levels} on Agent { id }`;
}

const plainIntrospection = `{ __schema { types { ${nested(5, 'fields { type { ', 'name', ' } }')} } } }`;
const wholeType = 'kind name description fields { name description args { name } type { name } } enumValues { name }';

/** Documents, all refused with 400 but for those that are too long. */
const documents: Record<string, string> = {
  'an introspection with 59 aliases of fields': `{ __schema { types { ${times(59, (i) => `t${i}: fields { name }`)} } } }`,
  'an introspection with 59 aliases of description': `{ __schema { types { ${times(59, (i) => `d${i}: description`)} } } }`,
  'nine aliased __schema': `{ ${times(9, (i) => `s${i}: __schema { types { name } }`)} }`,
  'nine __schema through fragments': `{ ${times(9, (i) => `a${i}: __typename ...f`)} } fragment f on Query { __schema { types { name } } ...g } fragment g on Query { b: __schema { types { name } } }`,
  'nine fragments that each spread the eight others': `{ viewer { ...f0 } } ${times(9, (i) => `fragment f${i} on Viewer { ${times(9, (j) => (i === j ? 'name' : `...f${j}`))} }`)}`,
  'six __type': `{ ${times(6, (i) => `t${i}: __type(name: "Agent") { name }`)} }`,
  'a field whose name has 200,000 characters': `{ ${'a'.repeat(200_000)} }`,
  '59 aliases of labels on 200 nodes': `{ agents(first: 200) { nodes { metadata { ${times(59, (i) => `l${i}: labels { key value }`)} } } } }`,
  '30 aliased searches': `{ ${times(30, (i) => `s${i}: search(text: "a") { nodes { __typename } }`)} }`,
  'an empty document': '',
  'only a comment': '# nothing',
  'only commas': ','.repeat(10_000),
  'text that is not GraphQL': '<script>alert(1)</script>',
  'a document that is cut': '{ viewer { name',
  'one brace too many': '{ viewer { name } } }',
  'a NUL in a document': '{ viewer\u0000 { name } }',
  'a lone surrogate in a name': '{ viewer\ud800 { name } }',
  'a string that never ends': `{ agent(name: "${'a'.repeat(1_000)}) { id } }`,
  'a block string that never ends': `{ agent(name: """${'a'.repeat(1_000)}) { id } }`,
  'an invalid escape': '{ agent(name: "\\q") { id } }',
  'an unknown field': '{ destroy }',
  'an unknown field 500 times': `{ ${times(500, (i) => `x${i}`)} }`,
  'an unknown type in a fragment': '{ ...a } fragment a on Nothing { id }',
  'an unknown fragment': '{ ...a }',
  'an unknown argument': '{ agents(drop: true) { totalCount } }',
  'an unknown directive': '{ viewer @destroy { name } }',
  'a field without its selection': '{ viewer }',
  'a selection on a leaf': '{ viewer { name { first } } }',
  'a fragment of a type that cannot be there': '{ viewer { ... on Agent { id } } }',
  'a fragment that is not used': `${viewer} fragment a on Viewer { name }`,
  'two operations without a name': `${viewer} ${viewer}`,
  'two operations of one name': `query a ${viewer} query a ${viewer}`,
  'two fields under one name': '{ a: viewer { name } a: configuration { detectedRegion } }',
  'two arguments under one name': '{ agents(first: 1, first: 2) { totalCount } }',
  'a fragment within itself': '{ viewer { ...a } } fragment a on Viewer { ...a }',
  'fragments in a circle': '{ viewer { ...a } } fragment a on Viewer { ...b } fragment b on Viewer { name ...a }',
  'fragments in a circle of 50': `{ viewer { ...f0 } } ${times(50, (i) => `fragment f${i} on Viewer { ...f${(i + 1) % 50} }`)}`,
  'fragments that double 16 times': doubling(16),
  'fragments that double 40 times': doubling(40),
  'selections 31 deep': nested(31, '{ viewer ', '{ name }', ' }'),
  'selections 2,000 deep': nested(2_000, '{ viewer ', '{ name }', ' }'),
  'selections 60,000 deep': nested(60_000, '{a', '', '}'),
  'inline fragments 31 deep': `{${nested(31, '... on Query {', 'viewer{name}', '}')}}`,
  'a list 900 deep': `{ agent(name: ${nested(900, '[', '1', ']')}) { id } }`,
  'a list 1,900 deep': `{ agent(name: ${nested(1_900, '[', '1', ']')}) { id } }`,
  'an object 900 deep': `{ agent(name: ${nested(900, '{a:', '1', '}')}) { id } }`,
  '61 aliases': `{ ${times(61, (i) => `a${i}: viewer { name }`)} }`,
  '1,000 aliases': `{ ${times(1_000, (i) => `a${i}: viewer { name }`)} }`,
  '60 aliases of a full page': `{ ${times(60, (i) => `a${i}: agents(first: 200) { nodes { id metadata { name } events { type } } }`)} }`,
  '61 directives': `{ viewer { name ${'@skip(if: false) '.repeat(61)} } }`,
  '1,000 directives': `{ viewer { name ${'@skip(if: false) '.repeat(1_000)} } }`,
  '500 unknown directives': `{ viewer { name ${'@a '.repeat(500)} } }`,
  '61 operations': times(61, (i) => `query q${i} ${viewer}`),
  '1,000 fragments': `${viewer} ${times(1_000, (i) => `fragment f${i} on Query { viewer { name } }`)}`,
  '4,001 tokens': `{ viewer { ${'name '.repeat(4_000)} } }`,
  '250,000 characters of tokens': `{ viewer { ${'a '.repeat(124_000)} } }`,
  '3,000 equal leaves': `{ viewer { ${'name '.repeat(3_000)} } }`,
  '900 equal fields': `{ ${'viewer { name } '.repeat(900)} }`,
  '900 equal fields in fragments': `{ ${'...a '.repeat(900)} } fragment a on Query { viewer { name } }`,
  'equal fields below equal fields': `{ ${`viewer { ${'accounts { id } '.repeat(25)} } `.repeat(25)} }`,
  'equal fields three levels deep': `{ ${`viewer { ${`accounts { ${'id '.repeat(9)} } `.repeat(9)} } `.repeat(9)} }`,
  '1,000 variables': `query (${times(1_000, (i) => `$v${i}: Int`)}) ${viewer}`,
  'a variable of no type': 'query ($a: Nothing) { agents(first: $a) { totalCount } }',
  'a variable of an output type': 'query ($a: Agent) { agents(first: 1) { totalCount } }',
  'a variable that is not declared': '{ agents(first: $a) { totalCount } }',
  'a variable in the place of another type': 'query ($a: String) { agents(first: $a) { totalCount } }',
  'a number beyond all numbers': `{ agents(first: ${'9'.repeat(1_000)}) { totalCount } }`,
  'a number of 200,000 digits': `{ agents(first: ${'9'.repeat(200_000)}) { totalCount } }`,
  'a fraction where a whole number is asked for': '{ agents(first: 1.5) { totalCount } }',
  'an unknown enum value': '{ agents(orderBy: { field: SELECT, direction: ASC }) { totalCount } }',
  'a list of 3,000 literal ids': `{ nodes(ids: [${'"x" '.repeat(3_000)}]) { id } }`,
  'a list of 101 literal ids': `{ nodes(ids: [${'"x" '.repeat(101)}]) { id } }`,
  'three lists of 200 within each other': `{ vpcs(first: 200) { nodes { egressGateways(first: 200) { nodes { egressIps(first: 200) { nodes { id } } } } } } }`,
  'lists within lists by aliases': `{ ${times(20, (i) => `a${i}: jobs(first: 200) { nodes { executions(first: 200) { nodes { id } } } }`)} }`,
  'introspection in a circle': `{ __schema { types { ${nested(12, 'fields { type { ', 'name', ' } }')} } } }`,
  'introspection that multiplies': plainIntrospection,
  'introspection by 60 aliases': `{ ${times(60, (i) => `a${i}: __schema { types { ${wholeType} } }`)} }`,
  'introspection by aliases in a fragment': `{ ${times(60, (i) => `a${i}: __schema { ...s }`)} } fragment s on __Schema { types { ${wholeType} } }`,
  'introspection of possible types of possible types': `{ __schema { types { ${nested(8, 'possibleTypes { ', 'name', ' }')} } } }`,
  'a type with itself by 60 aliases': `{ ${times(60, (i) => `a${i}: __type(name: "Query") { fields { type { fields { type { fields { name } } } } } }`)} }`,
  'a subscription': 'subscription { viewer { name } }',
  'a subscription by a name': 'subscription changes { changes { id } }',
  'a mutation that does not exist': 'mutation { destroyEverything }',
  'a definition of a type': 'type Query { a: Int }',
  'a definition next to a query': `${viewer} type A { a: Int }`,
  'an extension of the schema': 'extend type Query { a: Int }',
  'a deferred fragment': '{ viewer { ... @defer { name } } }',
  'a streamed list': '{ agents { nodes @stream { id } } }',
};

/** Variables of a document that is right, or bodies that are no request at all; all refused with 400. */
const bodies: Record<string, string> = {
  'an empty body': '',
  'a body of spaces': ' '.repeat(100_000),
  'a body that is cut': '{"query": "{ viewer',
  null: 'null',
  'a text': JSON.stringify(viewer),
  'a number': '1e400',
  'a batch': JSON.stringify([{ query: viewer }, { query: viewer }]),
  'a batch of 10,000': JSON.stringify(Array.from({ length: 10_000 }, () => ({ query: viewer }))),
  'no query': '{}',
  'a query that is no text': '{"query": 1}',
  'a query that is a list': '{"query": ["{ viewer { name } }"]}',
  'variables that are a list': JSON.stringify({ query: viewer, variables: [] }),
  'variables that are a text': JSON.stringify({ query: viewer, variables: '{}' }),
  'a name that is a number': JSON.stringify({ query: viewer, operationName: 1 }),
  'a name of no operation': JSON.stringify({ query: viewer, operationName: 'x' }),
  'unknown parameters': JSON.stringify({ query: viewer, and: 'more' }),
  '100,000 unknown parameters': JSON.stringify(
    Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`p${i}`, i])),
  ),
  'a member named __proto__': `{"query": "${viewer}", "__proto__": {"a": 1}}`,
  'variables 65 deep': `{"query": "${viewer}", "variables": {"a": ${nested(64, '[', '', ']')}}}`,
  'variables 100,000 deep': `{"query": "${viewer}", "variables": {"a": ${nested(100_000, '[', '', ']')}}}`,
  'a million values': `{"query": "${viewer}", "variables": {"a": [${'1,'.repeat(1_000_000)}1]}}`,
  'a million ids': ids(1_000_000),
  '101 ids': ids(101),
  '20,000 ids that are objects': JSON.stringify({
    query: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
    variables: { ids: Array.from({ length: 20_000 }, () => ({})) },
  }),
  '10,001 usage events': usageEvents(10_001),
  'a variable that does not fit': JSON.stringify({
    query: 'query ($first: Int) { agents(first: $first) { totalCount } }',
    variables: { first: 'many' },
  }),
  'a variable that is missing': JSON.stringify({
    query: 'query ($name: String!) { agent(name: $name) { id } }',
  }),
  'a page by a variable that costs too much': JSON.stringify({
    query:
      'query ($n: Int) { vpcs(first: $n) { nodes { egressGateways(first: $n) { nodes { egressIps(first: $n) { nodes { id } } } } } } }',
    variables: { n: 200 },
  }),
};

function ids(count: number): string {
  const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
  return JSON.stringify({ query, variables: { ids: Array.from({ length: count }, () => 'x') } });
}

/** Events that say nothing: it is their number that is refused. */
function usageEvents(count: number): string {
  const query = 'mutation ($input: RecordUsageInput!) { recordUsage(input: $input) { __typename } }';
  const events = Array.from({ length: count }, (_, id) => ({ source: 's', id: String(id), usage: '1', cost: '1' }));
  return JSON.stringify({ query, variables: { input: { events } } });
}

const others: HostileRequest[] = [
  {
    what: 'a document of 300,000 characters',
    status: 413,
    body: JSON.stringify({ query: `${viewer} # ${'a'.repeat(300_000)}` }),
  },
  {
    what: 'a text of a million characters',
    status: 413,
    body: JSON.stringify({ query: `{ agent(name: "${'a'.repeat(1_000_000)}") { id } }` }),
  },
  { what: 'a body of 9 MiB', status: 413, body: ' '.repeat(9 * 1024 * 1024) },
  {
    what: 'a form',
    status: 415,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `query=${encodeURIComponent(viewer)}`,
  },
  { what: 'parts', status: 415, headers: { 'content-type': 'multipart/form-data; boundary=b' }, body: '--b--' },
  {
    what: 'plain text',
    status: 415,
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify({ query: viewer }),
  },
  { what: 'a bare document', status: 415, headers: { 'content-type': 'application/graphql' }, body: viewer },
  {
    what: 'another charset',
    status: 415,
    headers: { 'content-type': 'application/json; charset=utf-16' },
    body: JSON.stringify({ query: viewer }),
  },
  { what: 'a compressed body', status: 415, headers: { 'content-encoding': 'gzip' }, body: 'x' },
  {
    what: 'a mutation by GET',
    status: 405,
    method: 'GET',
    search: `?query=${encodeURIComponent('mutation { recordUsage(input: {events: []}) { __typename } }')}`,
  },
  { what: 'a GET without a query', status: 400, method: 'GET' },
  {
    what: 'a GET with variables that are no JSON',
    status: 400,
    method: 'GET',
    search: `?query=${encodeURIComponent(viewer)}&variables={`,
  },
  {
    what: 'introspection that multiplies by GET',
    status: 400,
    method: 'GET',
    search: `?query=${encodeURIComponent(plainIntrospection)}`,
  },
  {
    what: 'a subscription by GET',
    status: 400,
    method: 'GET',
    search: `?query=${encodeURIComponent('subscription { viewer { name } }')}`,
  },
  {
    what: 'a subscription with 10,000 unknown fields in its filter',
    status: 400,
    headers: { accept: 'text/event-stream' },
    body: JSON.stringify({
      query: 'subscription ($filter: ChangeFilter) { changes(filter: $filter) { cursor } }',
      variables: { filter: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`unknown${i}`, i])) },
    }),
  },
  {
    what: 'a subscription that is to be one answer',
    status: 406,
    body: JSON.stringify({ query: 'subscription { changes { cursor } }' }),
  },
  {
    what: 'a subscription by GET that is to be one answer',
    status: 406,
    method: 'GET',
    search: `?query=${encodeURIComponent('subscription { changes { cursor } }')}`,
  },
  { what: 'another method', status: 405, method: 'PUT', body: JSON.stringify({ query: viewer }) },
  {
    what: 'an unknown media type',
    status: 406,
    headers: { accept: 'application/xml' },
    body: JSON.stringify({ query: viewer }),
  },
];

function named(requests: Record<string, string>, toBody: (text: string) => string): HostileRequest[] {
  return Object.entries(requests).map(([what, text]) => ({ what, status: 400, body: toBody(text) }));
}

/** All of them, without the common parts. */
export const hostileRequests: HostileRequest[] = [
  ...named(documents, (query) => JSON.stringify({ query })),
  ...named(bodies, (body) => body),
  ...others,
];
