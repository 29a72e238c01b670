// Links to logs: from the report of an executor, else from the operator's template.
import { beforeAll, describe, expect, it } from 'vitest';
import { logsTemplate, logsUrlFrom } from '../../src/config/logs-template.js';
import { readConfig } from '../../src/config.js';
import { createKey, createTenant, graphql, rest, useApp } from '../harness.js';
import type { Answer } from '../harness.js';
import { addRegions, mutate } from '../resources/mutations.js';
import { anExecutor } from './executor.js';
import type { TestExecutor } from './executor.js';

const template = 'https://logs.example.com/{kind}/{workspace}/{name}?run={execution}&task={task}&from={from}&to={to}';
const running = useApp({ LOGS_URL: template });
const bare = useApp();
let key: string;
let otherKey: string;
let bareKey: string;
let one: TestExecutor;

async function aKey(name: string, app = running.app): Promise<string> {
  const tenant = await createTenant(app, { account: name, workspaces: [`${name}-main`] });
  return (await createKey(app, tenant)).key;
}

beforeAll(async () => {
  key = await aKey('northwind');
  otherKey = await aKey('contoso');
  bareKey = await aKey('northwind', bare.app);
  await addRegions(running.app);
  one = await anExecutor(running.app, 'one', { kinds: ['AGENT', 'JOB_EXECUTION'] });
});

const workspace = 'northwind-main';

async function read(
  query: string,
  variables: Record<string, unknown> = {},
  by = key,
  app = running.app,
): Promise<Answer['body']> {
  const { body } = await graphql(app, by, query, variables);
  return body;
}

async function createAgent(name: string): Promise<void> {
  await mutate(running.app, key, 'createAgent', '__typename', { workspace, metadata: { name } });
}

async function claimOf(name: string): Promise<{ id: string; fence: number }> {
  const { assignments } = await one.claim();
  return assignments.find(({ desired }: Answer['body']) => desired.metadata.name === name);
}

const agentQuery = `query ($name: String!, $from: DateTime, $to: DateTime) {
  agent(workspace: "${workspace}", name: $name) { logsUrl(from: $from, to: $to) }
}`;

describe('Without a template and a report', () => {
  it('logsUrl is null', async () => {
    await mutate(bare.app, bareKey, 'createSandbox', '__typename', { workspace, metadata: { name: 'shell' } });
    const query = `{ sandbox(workspace: "${workspace}", name: "shell") { logsUrl } }`;
    expect(await read(query, {}, bareKey, bare.app)).toMatchObject({ data: { sandbox: { logsUrl: null } } });
  });
});

describe('With a template', () => {
  it('a workload has a link with its names and the last hour, or the requested range', async () => {
    await mutate(running.app, key, 'createSandbox', '__typename', { workspace, metadata: { name: 'shell' } });
    const { data } = await read(`{ sandbox(workspace: "${workspace}", name: "shell") { logsUrl } }`);
    const url = new URL(data.sandbox.logsUrl);
    expect(url.origin + url.pathname).toBe(`https://logs.example.com/sandbox/${workspace}/shell`);
    const { from, to, run, task } = Object.fromEntries(url.searchParams);
    expect([run, task]).toEqual(['', '']);
    expect(to).toBe(running.app.clock.now.toISOString());
    expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(3_600_000);

    await createAgent('ranged');
    const range = { from: '2026-04-28T08:00:00+02:00', to: '2026-04-28T07:00:00Z' };
    const asked = await read(agentQuery, { name: 'ranged', ...range });
    const query = new URL(asked.data.agent.logsUrl).searchParams;
    expect([query.get('from'), query.get('to')]).toEqual(['2026-04-28T06:00:00.000Z', '2026-04-28T07:00:00.000Z']);
  });

  it('rejects a range that ends before it starts', async () => {
    await createAgent('backwards');
    const range = { from: '2026-04-28T08:00:00Z', to: '2026-04-28T07:00:00Z' };
    const { errors } = await read(agentQuery, { name: 'backwards', ...range });
    expect(errors[0]).toMatchObject({
      message: expect.stringContaining('must not be after'),
      extensions: { code: 'invalid_input' },
    });
  });

  it('a task and its execution have links from their start on, with the names URL-encoded', async () => {
    await mutate(running.app, key, 'createJob', '__typename', { workspace, metadata: { name: 'import' } });
    const tasks = [{ name: 'a/b?c=d&e' }, { name: 'other' }];
    const input = { workspace, name: 'import', tasks };
    const fields = 'jobExecution { id metadata { id } logsUrl tasks { logsUrl } }';
    const { jobExecution } = await mutate(running.app, key, 'runJob', fields, input);
    expect(jobExecution).toMatchObject({ logsUrl: null, tasks: [{ logsUrl: null }, { logsUrl: null }] });
    const { assignments } = await one.claim();
    const first = assignments.find(({ desired }: Answer['body']) => desired.task?.name === 'a/b?c=d&e');
    await one.report(first, { state: 'RUNNING' });
    const query = `query ($id: ID!) { node(id: $id) { ... on JobExecution {
      logsUrl tasks { logsUrl metadata { startedAt } } spec { tasks { logsUrl } } } } }`;
    const { data } = await read(query, { id: jobExecution.id });
    const url = new URL(data.node.tasks[0].logsUrl);
    const { id } = jobExecution.metadata;
    expect(url.pathname).toBe(`/job/${workspace}/import`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ run: id, task: 'a/b?c=d&e' });
    expect(url.searchParams.get('e')).toBeNull();
    expect(Date.parse(url.searchParams.get('from') ?? '')).toBe(
      Date.parse(data.node.tasks[0].metadata.startedAt) - 60_000,
    );
    expect(data.node.tasks[1].logsUrl).toBeNull();
    expect(data.node.spec.tasks[0].logsUrl).toBe(data.node.tasks[0].logsUrl);
    expect(new URL(data.node.logsUrl).searchParams.get('task')).toBe('');

    await one.report(first, { state: 'SUCCEEDED', logsUrl: 'https://elsewhere.example.com/task' });
    const ended = await read(query, { id: jobExecution.id });
    expect(ended.data.node.tasks[0].logsUrl).toBe('https://elsewhere.example.com/task');
    expect(ended.data.node.logsUrl).toContain('logs.example.com');
  });
});

describe('The URL that an executor reports', () => {
  it('takes precedence, and stays until another one is reported', async () => {
    await createAgent('told');
    const claim = await claimOf('told');
    const told = 'https://grafana.example.com/d/1?var-agent=told';
    await one.report(claim, { state: 'DEPLOYING', logsUrl: told });
    expect(await read(agentQuery, { name: 'told' })).toMatchObject({ data: { agent: { logsUrl: told } } });
    await one.report(claim, { state: 'DEPLOYED' });
    expect(await read(agentQuery, { name: 'told' })).toMatchObject({ data: { agent: { logsUrl: told } } });
  });

  it('is that of the execution too, if it has one task', async () => {
    await mutate(running.app, key, 'createJob', '__typename', { workspace, metadata: { name: 'single' } });
    const { jobExecution } = await mutate(running.app, key, 'runJob', 'jobExecution { id }', {
      workspace,
      name: 'single',
    });
    await one.report(await claimOf('single'), { state: 'RUNNING', logsUrl: 'http://logs.internal/1' });
    const { data } = await read(`query ($id: ID!) { node(id: $id) { ... on JobExecution { logsUrl } } }`, {
      id: jobExecution.id,
    });
    expect(data.node.logsUrl).toBe('http://logs.internal/1');
  });

  it.each([
    ['a script', 'javascript:alert(1)'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['of no host', 'https:logs.example.com'],
    ['empty', 'https://'],
    ['of another protocol', 'ftp://logs.example.com'],
    ['after a space', ' https://logs.example.com'],
    ['with a space', 'https://logs.example.com/a b'],
    ['too long', `https://logs.example.com/${'x'.repeat(2_024)}`],
  ])('is refused if it is %s', async (_reason, logsUrl) => {
    await createAgent('refused');
    const claim = await claimOf('refused');
    const answer = await one.report(claim, { state: 'DEPLOYING', logsUrl });
    expect(answer).toMatchObject({ code: 'invalid_input', problems: [{ path: ['logsUrl'] }] });
    expect((await read(agentQuery, { name: 'refused' })).data.agent.logsUrl).toContain(
      'https://logs.example.com/agent/',
    );
    await mutate(running.app, key, 'deleteAgent', '__typename', { workspace, name: 'refused' });
    await running.app.services.db.agent.deleteMany({ where: { name: 'refused' } });
  });

  it('is not shown to another account, and REST stays as it is', async () => {
    await createAgent('private');
    await one.report(await claimOf('private'), { state: 'DEPLOYED', logsUrl: 'https://logs.example.com/secret' });
    expect(JSON.stringify(await read(agentQuery, { name: 'private' }, otherKey))).not.toContain('secret');
    const headers = { 'X-Service-Workspace': workspace };
    const { body } = await rest(running.app, '/agents', { key, headers });
    expect(JSON.stringify(body)).toContain('"name":"private"');
    expect(JSON.stringify(body)).not.toContain('logs');
  });
});

describe('LOGS_URL', () => {
  it.each([
    'javascript:alert("{name}")',
    'data:text/html,{name}',
    'ftp://logs.example.com/{name}',
    'logs.example.com/{name}',
    'https://{name}.example.com/',
    'https://logs.example.com{name}',
    'https://{name}@logs.example.com/',
    'https://logs.example.com/{names}',
    'https://logs.example.com/{name',
    'https://logs.example.com/a b',
  ])('rejects %s at start, with an error that names the setting', (value) => {
    expect(() => readConfig({ LOGS_URL: value })).toThrow(
      /^LOGS_URL: must be an http:\/\/ or https:\/\/ URL with a fixed host\. Allowed placeholders: \{kind\}, .*\{to\}$/,
    );
  });

  it.each([template, 'http://localhost:3000/explore?q={name}', 'https://logs.example.com'])('accepts %s', (value) => {
    expect(readConfig({ LOGS_URL: value }).LOGS_URL).toBe(value);
  });

  it('encodes values, which cannot add placeholders or another host', () => {
    const values = {
      kind: 'job',
      workspace: 'w',
      name: '{to}',
      execution: '',
      task: '$&//evil.example',
      from: '',
      to: 'T',
    };
    const url = logsUrlFrom(logsTemplate.parse('https://logs.example.com/{name}/{task}'), values);
    expect(url).toBe('https://logs.example.com/%7Bto%7D/%24%26%2F%2Fevil.example');
  });
});
