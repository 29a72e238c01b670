// Variables that are sent, not sent or null, in every position: a variable that is not sent means that its argument or
// field is not given (GraphQL specification, sections 6.1.2 and 6.4.1), however the request is sent.
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../../../src/api/graphql/global-id.js';
import { createKey, createTenant, graphql, useApp } from '../../../harness.js';
import type { Tenant } from '../../../harness.js';
import { addRegions } from '../../../resources/mutations.js';
import { eventStreams, queryTransports, transports, trusting } from './transports.js';

const failure = '... on Error { code message } ... on InvalidInputError { problems { path message } }';

/** A document that dashboards send for each change of an agent: only the changed fields have values. */
const updateAgent = `mutation ($name: String!, $memory: Int, $envs: [EnvInput!], $displayName: String, $protected: Boolean,
    $triggers: [TriggerInput!], $policies: [String!], $url: String) {
  updateAgent(input: { workspace: "main", name: $name, metadata: { displayName: $displayName, protected: $protected }, spec: {
    policies: $policies, triggers: $triggers, repository: { url: $url }, runtime: { memory: $memory, envs: $envs } } }) {
    __typename ${failure} } }`;
const replaceEnvs = `mutation ($name: String!, $secret: Boolean) {
  updateAgent(input: { workspace: "main", name: $name, spec: { runtime: { envs: [{ name: "MODE", value: "fast", secret: $secret }] } } }) {
    __typename ${failure} } }`;
const createApiKey = `mutation ($name: String!, $expiresAt: DateTime) {
  createApiKey(input: { name: $name, workspace: "main", scopes: ["agents:list"], expiresAt: $expiresAt }) {
    ... on CreateApiKeyPayload { apiKey { expiresAt } } ${failure} } }`;
const rotateApiKey = `mutation ($id: ID!, $expiresAt: DateTime, $overlap: Int) {
  rotateApiKey(input: { id: $id, expiresAt: $expiresAt, overlapSeconds: $overlap }) {
    ... on RotateApiKeyPayload { apiKey { expiresAt } previous { expiresAt } } ${failure} } }`;
const updateWebhook = `mutation ($id: ID!, $url: String, $name: String, $filter: ChangeFilter) {
  updateWebhook(input: { id: $id, url: $url, name: $name, filter: $filter }) { __typename ${failure} } }`;
const runJob = `mutation ($name: String!, $mode: String, $tasks: [JobTaskRequestInput!]) {
  runJob(input: { workspace: "main", name: $name, envOverride: { MODE: $mode }, tasks: $tasks }) { __typename ${failure} } }`;
const runJobWithJson = `mutation ($name: String!, $all: JSON) {
  runJob(input: { workspace: "main", name: $name, envOverride: $all }) { __typename ${failure} } }`;

/** Each type of variable in a position that requires a value, with a default that is not sent. */
const queriesWithDefaults: Record<string, { query: string; data: unknown }> = {
  Int: {
    query:
      'query ($n: Int! = 2) { agents(workspace: "fixed", first: $n, orderBy: { field: NAME, direction: ASC }) { nodes { name } } }',
    data: { agents: { nodes: [{ name: 'first' }, { name: 'second' }] } },
  },
  String: {
    query: 'query ($name: String! = "second") { agent(workspace: "fixed", name: $name) { name } }',
    data: { agent: { name: 'second' } },
  },
  'a nullable String': {
    query: 'query ($name: String = "second") { agent(workspace: "fixed", name: $name) { name } }',
    data: { agent: { name: 'second' } },
  },
  Boolean: {
    query: 'query ($yes: Boolean! = true) { viewer { name @include(if: $yes) kind @skip(if: $yes) } }',
    data: { viewer: { name: 'owner@northwind.example.com' } },
  },
  'an enum': {
    query: `query ($by: AgentGrouping! = STATUS) { agentCounts(workspace: "fixed", by: $by) { value count } }`,
    data: { agentCounts: [{ value: 'DEPLOYED', count: 3 }] },
  },
  'an input': {
    query: `query ($order: ResourceOrder! = { field: NAME, direction: DESC }) { agents(workspace: "fixed", first: 1, orderBy: $order) { nodes { name } } }`,
    data: { agents: { nodes: [{ name: 'third' }] } },
  },
  'a field of an input': {
    query: `query ($to: OrderDirection! = DESC) { agents(workspace: "fixed", first: 1, orderBy: { field: NAME, direction: $to }) { nodes { name } } }`,
    data: { agents: { nodes: [{ name: 'third' }] } },
  },
  'a list': {
    query: 'query ($ids: [ID!]! = []) { nodes(ids: $ids) { id } }',
    data: { nodes: [] },
  },
  'an item of a list': {
    query: `query ($status: Status! = FAILED) { agents(workspace: "fixed", filter: { status: { in: [$status] } }) { filteredCount } }`,
    data: { agents: { filteredCount: 0 } },
  },
  DateTime: {
    query: `query ($from: DateTime! = "2026-11-01T00:00:00Z", $to: DateTime! = "2026-11-02T00:00:00Z") {
      account(name: "northwind") { metrics(startTime: $from, endTime: $to) { summary { totalCost } } } }`,
    data: { account: { metrics: { summary: { totalCost: '0' } } } },
  },
};

const mutationWithDefaults = `mutation ($name: String! = "defaulted", $yes: Boolean! = true, $memory: Int! = 4096) {
  createAgent(input: { workspace: "main", metadata: { name: $name }, validateOnly: $yes, spec: { runtime: { memory: $memory } } }) {
    ... on CreateAgentPayload { agent { name spec { runtime { memory } } } } ${failure} } }`;

const mutationTexts = [updateAgent, replaceEnvs, createApiKey, rotateApiKey, updateWebhook, runJob, runJobWithJson];
const queryTexts = Object.values(queriesWithDefaults).map(({ query }) => query);

const running = useApp(trusting([...mutationTexts, mutationWithDefaults, ...queryTexts]));
let tenant: Tenant;
let key: string;
let count = 0;

const fullAgent = {
  metadata: { displayName: 'An agent', protected: true },
  spec: {
    policies: ['standard'],
    repository: { type: 'git', url: 'https://git.example.com/a' },
    runtime: {
      memory: 2048,
      envs: [
        { name: 'MODE', value: 'fast' },
        { name: 'TOKEN', value: 'a secret', secret: true },
      ],
    },
    triggers: [{ id: 'nightly', type: 'CRON', configuration: { schedule: '0 3 * * *' } }],
  },
};

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'fixed'] });
  ({ key } = await createKey(app, tenant));
  await addRegions(app);
  for (const name of ['first', 'second', 'third']) {
    await create('Agent', { workspace: 'fixed', metadata: { name } });
  }
});

/** @returns the payload; the test fails if the resource is not created. */
async function create(type: string, input: object, fields = '__typename'): Promise<ReturnType<typeof JSON.parse>> {
  const query = `mutation ($input: Create${type}Input!) { result: create${type}(input: $input) {
    __typename ${failure} ... on Create${type}Payload { ${fields} } } }`;
  const { body } = await graphql(running.app, key, query, { input: { workspace: 'main', ...input } });
  if (body.data?.result.__typename !== `Create${type}Payload`) throw new Error(JSON.stringify(body));
  return body.data.result;
}

/** The stored row of an agent, without its version and times. */
async function storedAgent(name: string) {
  const select = { displayName: true, protected: true, spec: true };
  return running.app.services.db.agent.findFirstOrThrow({ where: { name }, select });
}

describe.each(Object.entries(transports))('By %s', (_, send) => {
  it('variables that are not sent clear nothing of an agent', async () => {
    const name = `full-${count++}`;
    await create('Agent', { metadata: { name, ...fullAgent.metadata }, spec: fullAgent.spec });
    const before = await storedAgent(name);
    const nothing = await send(running.app, key, { query: updateAgent, variables: { name } });
    expect(nothing).toEqual({ data: { updateAgent: { __typename: 'UpdateAgentPayload' } }, errors: undefined });
    expect(await storedAgent(name)).toEqual(before);

    const { data } = await send(running.app, key, { query: updateAgent, variables: { name, memory: 4096 } });
    expect(data.updateAgent).toEqual({ __typename: 'UpdateAgentPayload' });
    const spec = { ...Object(before.spec), runtime: { ...Object(before.spec).runtime, memory: 4096 } };
    expect(await storedAgent(name)).toEqual({ ...before, spec });
  });

  it('null removes a value that a variable that is not sent leaves', async () => {
    const name = `cleared-${count++}`;
    await create('Agent', { metadata: { name, displayName: 'An agent' }, spec: fullAgent.spec });
    await send(running.app, key, { query: updateAgent, variables: { name, displayName: null, triggers: null } });
    const { displayName, spec } = await storedAgent(name);
    expect([displayName, Object(spec).triggers, Object(spec).policies]).toEqual([null, undefined, ['standard']]);
  });

  it('a field of an item of a list is not given by a variable that is not sent', async () => {
    const name = `items-${count++}`;
    await create('Agent', { metadata: { name } });
    const { data } = await send(running.app, key, { query: replaceEnvs, variables: { name } });
    expect(data.updateAgent).toEqual({ __typename: 'UpdateAgentPayload' });
    const { spec } = await storedAgent(name);
    expect(Object(spec).runtime.envs).toEqual([{ name: 'MODE', value: 'fast' }]);
  });

  it('API keys without an expiry get the default life', async () => {
    const inAYear = '2027-11-20T12:00:00.000Z';
    const made = await send(running.app, key, { query: createApiKey, variables: { name: `key-${count++}` } });
    expect(made.data.createApiKey).toEqual({ apiKey: { expiresAt: inAYear } });
    const { id } = await createKey(running.app, { ...tenant, scope: 'agents:list' });
    const variables = { id: encodeGlobalId('ApiKey', id) };
    const rotated = await send(running.app, key, { query: rotateApiKey, variables });
    // The overlap that is not sent is a day.
    expect(rotated.data.rotateApiKey).toEqual({
      apiKey: { expiresAt: inAYear },
      previous: { expiresAt: '2026-11-21T12:00:00.000Z' },
    });
  });

  it('a webhook keeps its address and its filter', async () => {
    const input = { name: `hook-${count++}`, url: 'https://hooks.example.com/in', filter: { kinds: ['AGENT'] } };
    const { webhook } = await create('Webhook', input, 'webhook { id }');
    const { data } = await send(running.app, key, {
      query: updateWebhook,
      variables: { id: webhook.id, name: 'renamed' },
    });
    expect(data.updateWebhook).toEqual({ __typename: 'UpdateWebhookPayload' });
    const query = `query ($id: ID!) { node(id: $id) { ... on Webhook { name url filter { kinds } } } }`;
    const read = await graphql(running.app, key, query, { id: webhook.id });
    expect(read.body.data.node).toEqual({ name: 'renamed', url: input.url, filter: input.filter });
    await running.app.services.db.webhook.deleteMany({});
  });

  it.each([
    ['a variable inside a literal of JSON is its value', runJob, { mode: 'fast' }, ['MODE']],
    ['a variable inside a literal of JSON that is not sent is not given', runJob, {}, []],
    ['a variable of the type JSON is its value', runJobWithJson, { all: { A: '1', B: '2' } }, ['A', 'B']],
    ['a variable of the type JSON that is not sent is not given', runJobWithJson, {}, []],
  ])('%s', async (_name, query, variables, names) => {
    const name = `job-${count++}`;
    await create('Job', { metadata: { name } });
    const run = await send(running.app, key, { query, variables: { name, ...variables } });
    expect(run).toEqual({ data: { runJob: { __typename: 'RunJobPayload' } }, errors: undefined });
    const { spec } = await running.app.services.db.jobExecution.findFirstOrThrow({ where: { job: { name } } });
    expect(Object.keys(Object(spec).envOverride ?? {})).toEqual(names);
  });

  it.each([
    ['an Int', runJob, { tasks: [{ memory: 1e308 }] }],
    ['a DateTime', createApiKey, { name: 'late', expiresAt: 'tomorrow' }],
  ])('a value that is not %s is refused with one sentence', async (_name, query, variables) => {
    const { errors } = await send(running.app, key, { query, variables: { name: 'none', ...variables } });
    expect(errors).toMatchObject([{ message: expect.stringMatching(/^Variable "\$.*[^.]\.$/) }]);
  });

  it('a default of a required variable is used by a mutation', async () => {
    const { data, errors } = await send(running.app, key, { query: mutationWithDefaults });
    expect(errors).toBeUndefined();
    expect(data.createAgent).toEqual({ agent: { name: 'defaulted', spec: { runtime: { memory: 4096 } } } });
  });
});

describe.each(Object.entries(queryTransports))('By %s', (_, send) => {
  it.each(Object.entries(queriesWithDefaults))('a default of %s is used', async (_name, { query, data }) => {
    for (let execution = 0; execution < 3; execution++) {
      expect(await send(running.app, key, { query })).toEqual({ data, errors: undefined });
    }
  });
});

describe.each(Object.entries(eventStreams))('By %s', (_, send) => {
  it('a default of a required variable is used for each event', async () => {
    const { body } = await graphql(running.app, key, '{ changeCursor }');
    const name = `event-${count++}`;
    await create('Agent', { metadata: { name } });
    const query = `subscription ($after: String!, $yes: Boolean! = true, $kind: ChangeKind! = AGENT) {
      changes(after: $after, filter: { kinds: [$kind] }) { node { name @include(if: $yes) kind @skip(if: $yes) } } }`;
    const received = await send(running.app, key, { query, variables: { after: body.data.changeCursor } });
    expect(received).toEqual({ data: { changes: { node: { name } } }, errors: undefined });
  });
});
