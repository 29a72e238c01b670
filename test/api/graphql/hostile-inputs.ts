// Hostile inputs in valid documents: a description, and the field that the error names. The test checks the errors.

export interface HostileInput {
  what: string;
  query: string;
  variables: Record<string, unknown>;
  /** The message of the error. */
  says: RegExp;
  headers?: Record<string, string>;
}

const long = 'a'.repeat(1_000_000);

function nestedIn(levels: number, key: string): object {
  let value: object = {};
  for (let level = 0; level < levels; level++) value = { [key]: value };
  return value;
}

const problems = '{ __typename ... on Error { message } }';
const list = 'query ($filter: AgentFilter) { agents(filter: $filter) { totalCount nodes { id } } }';
const jobs = `mutation ($input: CreateJobInput!) { createJob(input: $input) ${problems} }`;
const agents = `mutation ($input: CreateAgentInput!) { createAgent(input: $input) ${problems} }`;
const webhooks = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) ${problems} }`;
const metrics = `query ($start: DateTime!, $end: DateTime!, $resolution: MetricsResolution, $zone: String, $by: [MetricsDimension!]) {
  viewer { accounts { metrics(startTime: $start, endTime: $end, resolution: $resolution, timeZone: $zone, groupBy: $by) {
    summary { totalCost } } } } }`;

const month = { start: '2026-10-01T00:00:00Z', end: '2026-11-01T00:00:00Z' };

const agent = (more: { metadata?: object; spec?: object }) => ({
  input: { metadata: { name: 'hostile', ...more.metadata }, spec: more.spec ?? {}, workspace: 'main' },
});

const cron = (schedule: string) => ({
  input: { metadata: { name: 'hostile' }, spec: { schedule }, workspace: 'main' },
});

const webhook = (url: string) => ({ input: { name: 'hostile', url, workspace: 'main' } });

const labels = (count: number) => Array.from({ length: count }, (_, i) => ({ key: `k${i}`, value: 'v' }));

const unsafeAddresses: Record<string, RegExp> = {
  'file:///etc/passwd': /url/,
  'gopher://127.0.0.1:6379/_FLUSHALL': /url/,
  'javascript:alert(1)': /url/,
  'http://hooks.example.com/': /url/,
  'https://127.0.0.1/': /url/,
  'https://127.1/': /url/,
  'https://2130706433/': /url/,
  'https://0x7f000001/': /url/,
  'https://0177.0.0.1/': /url/,
  'https://[::1]/': /url/,
  'https://[::ffff:127.0.0.1]/': /url/,
  'https://[fe80::1]/': /url/,
  'https://169.254.169.254/latest/meta-data/': /url/,
  'https://10.0.0.1/': /url/,
  'https://①②⑦.⓪.⓪.①/': /url/,
  'https://user:password@hooks.example.com/': /url/,
};

export const hostileInputs: HostileInput[] = [
  { what: 'a filter 60 levels of not', query: list, variables: { filter: nestedIn(60, 'not') }, says: /not/ },
  {
    what: 'a filter of 10,000 ands',
    query: list,
    variables: { filter: { and: Array.from({ length: 10_000 }, () => ({})) } },
    says: /filter/,
  },
  {
    what: 'a filter of 10,000 names',
    query: list,
    variables: { filter: { name: { in: Array(10_000).fill('a') } } },
    says: /filter/,
  },
  {
    what: 'a filter by a text of a million characters',
    query: list,
    variables: { filter: { createdBy: { in: [long] } } },
    says: /filter/,
  },
  {
    what: 'a search of a million characters in a list',
    query: 'query ($text: String!) { agents(search: $text) { totalCount } }',
    variables: { text: long },
    says: /search/,
  },
  {
    what: 'a search of a million characters over all kinds',
    query: 'query ($text: String!) { search(text: $text) { totalCount } }',
    variables: { text: long },
    says: /text/,
  },
  {
    what: 'a cursor of a million characters',
    query: 'query ($after: String) { agents(after: $after) { nodes { id } } }',
    variables: { after: long },
    says: /after/,
  },
  {
    what: 'a name of a million characters',
    query: 'query ($name: String!) { agents(filter: {name: {startsWith: $name}}) { totalCount } }',
    variables: { name: long },
    says: /name/,
  },
  {
    what: 'metrics by the hour of a century',
    query: metrics,
    variables: { start: '2000-01-01T00:00:00Z', end: '2100-01-01T00:00:00Z', resolution: 'HOURLY' },
    says: /resolution/,
  },
  {
    what: 'metrics of the year 9999',
    query: metrics,
    variables: { start: '9999-01-01T00:00:00Z', end: '9999-12-31T00:00:00Z' },
    says: /startTime/,
  },
  {
    what: 'metrics that end before they begin',
    query: metrics,
    variables: { start: month.end, end: month.start },
    says: /endTime/,
  },
  {
    what: 'metrics by 10,000 dimensions',
    query: metrics,
    variables: { ...month, by: Array(10_000).fill('WORKSPACE') },
    says: /by must be at most/,
  },
  {
    what: 'a time zone that is a path',
    query: metrics,
    variables: { ...month, zone: '../../etc/passwd' },
    says: /timeZone/,
  },
  {
    what: 'a time zone of a million characters',
    query: metrics,
    variables: { ...month, zone: long },
    says: /timeZone/,
  },
  {
    what: 'a time zone that is an offset beyond all',
    query: metrics,
    variables: { ...month, zone: '+99:99' },
    says: /timeZone/,
  },
  {
    what: 'changes by 10,000 actors',
    query: 'query ($filter: ChangeFilter) { changes(filter: $filter) { totalCount } }',
    variables: { filter: { actors: Array(10_000).fill('a') } },
    says: /actors/,
  },
  {
    what: 'changes of a resource that is a million characters',
    query: 'query ($filter: ChangeFilter) { changes(filter: $filter) { totalCount } }',
    variables: { filter: { resource: long } },
    says: /resource/,
  },
  ...Object.entries(unsafeAddresses).map(([url, says]) => ({
    what: `a webhook to ${url}`,
    query: webhooks,
    variables: webhook(url),
    says,
  })),
  {
    what: 'a webhook to a million characters',
    query: webhooks,
    variables: webhook(`https://hooks.example.com/${long}`),
    says: /url/,
  },
  {
    what: 'an agent of 5,000 labels',
    query: agents,
    variables: agent({ metadata: { labels: labels(5_000) } }),
    says: /labels/,
  },
  {
    what: 'an agent with a label of a million characters',
    query: agents,
    variables: agent({ metadata: { labels: [{ key: 'k', value: long }] } }),
    says: /labels/,
  },
  {
    what: 'an agent of 9,000 environment variables',
    query: agents,
    variables: agent({
      spec: { runtime: { envs: Array.from({ length: 9_000 }, (_, i) => ({ name: `A${i}`, value: 'v' })) } },
    }),
    says: /envs|spec/,
  },
  {
    what: 'an agent with a variable of a million characters',
    query: agents,
    variables: agent({ spec: { runtime: { envs: [{ name: 'A', value: long }] } } }),
    says: /envs|spec/,
  },
  {
    what: 'an agent of 5,000 triggers',
    query: agents,
    variables: agent({ spec: { triggers: Array.from({ length: 5_000 }, (_, i) => ({ id: `t${i}`, type: 'HTTP' })) } }),
    says: /triggers|spec/,
  },
  {
    what: 'the name of a job that has a million characters',
    query: `mutation ($input: RunJobInput!) { runJob(input: $input) ${problems} }`,
    variables: { input: { name: long } },
    says: /There is no job named "a{99}… here/,
  },
  {
    what: 'headers 900 levels deep in a document',
    query: `mutation { createSandboxPreview(input: {metadata: {name: "hostile"}, sandboxName: "hostile", spec: {requestHeaders: ${'{a: '.repeat(900)}1${'}'.repeat(900)}}}) ${problems} }`,
    variables: {},
    says: /at most 64 levels/,
  },
  { what: 'a schedule of a million characters', query: jobs, variables: cron(`${long} * * * *`), says: /schedule/ },
  {
    what: 'a schedule of 100,000 steps',
    query: jobs,
    variables: cron(`${'*/1,'.repeat(100_000)}1 * * * *`),
    says: /schedule/,
  },
  {
    what: 'a schedule of backtracking',
    query: jobs,
    variables: cron(`${'1-'.repeat(50_000)} * * * *`),
    says: /schedule/,
  },
  {
    what: 'an Idempotency-Key of 8,000 characters',
    query: jobs,
    variables: cron('* * * * *'),
    headers: { 'idempotency-key': 'a'.repeat(8_000) },
    says: /Idempotency-Key/,
  },
];
