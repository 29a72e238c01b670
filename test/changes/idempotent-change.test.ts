// A change with an Idempotency-Key is made once, through any transport, and its response is the same for a day.
import { setTimeout } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { runBackgroundTasks } from '../../src/server/run-background-tasks.js';
import { createKey, createTenant, frozenNow, graphql, rest, useApp } from '../harness.js';
import type { Answer, Tenant } from '../harness.js';
import { anExecutor } from '../lifecycle/executor.js';
import { addPlatform } from '../platform.js';
import { addRegions } from '../resources/mutations.js';
import { sendRaw } from '../http/raw-connection.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let count = 0;
let idempotencyKey: string;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main', 'side'] });
  ({ key } = await createKey(running.app, tenant));
});

beforeEach(() => {
  running.app.clock.now = frozenNow;
  idempotencyKey = `key-${count++}`;
});

const createAgent = `mutation Create($input: CreateAgentInput!) { createAgent(input: $input) { __typename
  ... on Error { code } ... on CreateAgentPayload { agent { id version metadata { name displayName updatedAt } } } } }`;

const agent = (name: string, more: object = {}) => ({ input: { workspace: 'main', metadata: { name }, ...more } });

/** A mutation under the key of the test. */
function under(query: string, variables: object, { by = key, headers = {} } = {}): Promise<Answer> {
  return graphql(running.app, by, query, { ...variables }, { 'idempotency-key': idempotencyKey, ...headers });
}

const agents = (name: string) => running.app.services.db.agent.count({ where: { name } });
const keptUnder = (name: string) => running.app.services.db.idempotencyKey.findMany({ where: { key: name } });

describe('A repeated request with the same idempotency key', () => {
  it('returns the stored response without a second execution, even if the resource has changed since', async () => {
    const first = await under(createAgent, agent('once'));
    expect(first.body.data.createAgent).toMatchObject({ __typename: 'CreateAgentPayload', agent: { version: 1 } });
    const change = `mutation { updateAgent(input: { workspace: "main", name: "once", metadata: { displayName: "Later" } }) {
      ... on UpdateAgentPayload { agent { version } } } }`;
    expect((await graphql(running.app, key, change)).body.data.updateAgent.agent.version).toBe(2);
    running.app.clock.now = new Date(frozenNow.getTime() + 60_000);
    const second = await under(createAgent, agent('once'));
    expect(second).toMatchObject({ status: 200, body: { data: first.body.data } });
    expect(await agents('once')).toBe(1);
    expect(await keptUnder(idempotencyKey)).toHaveLength(1);
  });

  it('returns the deleted resource, which no longer exists', async () => {
    await graphql(running.app, key, createAgent, agent('gone'));
    const remove = `mutation { deleteAgent(input: { workspace: "main", name: "gone" }) { __typename
      ... on DeleteAgentPayload { agent { id metadata { name } events { type message } } } } }`;
    const first = await under(remove, {});
    expect(first.body.data.deleteAgent.agent.events.at(-1).type).toBe('deletion');
    expect((await under(remove, {})).body.data).toEqual(first.body.data);
  });

  it('returns the deleted workspace with what the first request could read in it', async () => {
    const name = 'short-lived';
    const create = `mutation { createWorkspace(input: { metadata: { name: "${name}" } }) { __typename } }`;
    await graphql(running.app, key, create);
    const list = '(first: 5) { totalCount }';
    const fields = `name viewerRole account { name } quotas { resource } overview { kinds { kind total } failures { count } cost { toDate } }
      agents${list} jobs${list} members${list} invitations${list} webhooks${list} changes(last: 5) { nodes { kind } }`;
    const remove = `mutation { deleteWorkspace(input: { name: "${name}" }) { __typename
      ... on DeleteWorkspacePayload { workspace { ${fields} } } } }`;
    const first = await under(remove, {});
    expect(first.body.errors).toBeUndefined();
    expect(first.body.data.deleteWorkspace.workspace).toMatchObject({ name, agents: { totalCount: 0 } });
    expect((await under(remove, {})).body).toEqual(first.body);
    const find = `{ workspace(name: "${name}") { name } }`;
    expect((await graphql(running.app, key, find)).body.data).toEqual({ workspace: null });
  });

  it('matches in other white space, with a quoted key, and without the fast path', async () => {
    const first = await under(createAgent, agent('spaced'));
    const headers = { 'idempotency-key': `"${idempotencyKey}"`, accept: 'text/plain, application/json' };
    const again = await under(createAgent.replaceAll(/\s+/g, '  '), agent('spaced'), { headers });
    expect(again.body.data).toEqual(first.body.data);
    expect(await agents('spaced')).toBe(1);
  });

  it('stores each mutation of a document, and allows a retry of failed ones', async () => {
    const two = `mutation ($one: CreateAgentInput!, $two: CreateAgentInput!) {
      one: createAgent(input: $one) { ... on Error { code } ... on CreateAgentPayload { agent { id } } }
      two: createAgent(input: $two) { ... on Error { code } ... on CreateAgentPayload { agent { id } } } }`;
    await graphql(running.app, key, createAgent, agent('taken'));
    const both = { one: agent('first-of-two').input, two: agent('taken').input };
    const first = await under(two, both);
    expect(first.body.data).toMatchObject({ one: { agent: {} }, two: { code: 'name_taken' } });
    await running.app.services.db.agent.deleteMany({ where: { name: 'taken' } });
    const second = await under(two, both);
    expect(second.body.data).toMatchObject({ one: first.body.data.one, two: { agent: {} } });
    expect((await under(two, both)).body.data).toEqual(second.body.data);
    expect((await keptUnder(idempotencyKey)).map(({ part }) => part).toSorted()).toEqual(['one', 'two']);
  });

  it('is identified by its response path, however long the alias is', async () => {
    const long = 'x'.repeat(200);
    const query = createAgent.replace('createAgent(', `${long}: createAgent(`);
    const first = await under(query, agent('long'));
    expect(first.body.data[long]).toMatchObject({ __typename: 'CreateAgentPayload' });
    expect((await under(query, agent('long'))).body.data).toEqual(first.body.data);
  });

  it('returns the stored response after the parent was deleted', async () => {
    const send = (name: string, type: string, fields: string, input: object, headers = {}) =>
      under(
        `mutation ($input: ${type}Input!) { ${name}(input: $input) { __typename ... on ${type}Payload { ${fields} } } }`,
        { input: { workspace: 'main', ...input } },
        { headers },
      );
    const set = (name: string) => ({ 'idempotency-key': `${idempotencyKey} ${name}` });
    await send('createJob', 'CreateJob', 'job { id }', { metadata: { name: 'brief' } }, set('job'));
    await send('createSandbox', 'CreateSandbox', 'sandbox { id }', { metadata: { name: 'brief' } }, set('sandbox'));
    const run = () => send('runJob', 'RunJob', 'jobExecution { id status }', { name: 'brief' }, set('run'));
    const preview = { sandboxName: 'brief', metadata: { name: 'seen' } };
    const show = () =>
      send('createSandboxPreview', 'CreateSandboxPreview', 'sandboxPreview { id version }', preview, set('show'));
    const first = [await run(), await show()];
    expect(first.map(({ body }) => JSON.stringify(body.data))).toEqual([
      expect.stringContaining('RunJobPayload'),
      expect.stringContaining('CreateSandboxPreviewPayload'),
    ]);
    await send('deleteJob', 'DeleteJob', 'job { id }', { name: 'brief' }, set('no job'));
    await send('deleteSandbox', 'DeleteSandbox', 'sandbox { id }', { name: 'brief' }, set('no sandbox'));
    expect([(await run()).body.data, (await show()).body.data]).toEqual(first.map(({ body }) => body.data));
  });

  it('returns the stored response of an unchanged resource, and after later changes', async () => {
    await graphql(
      running.app,
      key,
      createAgent,
      agent('as-it-is', { metadata: { name: 'as-it-is', displayName: 'One' } }),
    );
    const update = (displayName: string) => `mutation { updateAgent(input: { workspace: "main", name: "as-it-is",
      metadata: { displayName: "${displayName}" } }) { ... on UpdateAgentPayload { agent { version metadata { displayName }
      events { type message } } } } }`;
    const first = await under(update('One'), {});
    expect(first.body.data.updateAgent.agent).toMatchObject({ version: 1, metadata: { displayName: 'One' } });
    expect(first.body.data.updateAgent.agent.events).toHaveLength(1);
    expect((await graphql(running.app, key, update('Two'))).body.data.updateAgent.agent.version).toBe(2);
    expect((await under(update('One'), {})).body.data).toEqual(first.body.data);
    expect(await keptUnder(idempotencyKey)).toHaveLength(1);
  });

  it('returns the stored status, also with executors', async () => {
    await addRegions(running.app);
    await anExecutor(running.app, 'of-the-test', { kinds: ['AGENT'], regions: ['eu-egress'] });
    const query = createAgent.replace('agent { id', 'agent { id status');
    const variables = agent('carried-out', { spec: { region: 'eu-egress' } });
    const first = await under(query, variables);
    expect(first.body.data.createAgent.agent.status).toBe('UPLOADING');
    expect((await under(query, variables)).body.data).toEqual(first.body.data);
  });

  it('of many concurrent callers is executed once, and the others get a conflict or the response', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => under(createAgent, agent('raced'))));
    const done = answers.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ body }) => body.data.createAgent.agent.id)).size).toBe(1);
    const others = answers.filter(({ status }) => status !== 200);
    for (const { status, body } of others) {
      expect([status, body.errors[0].extensions.code]).toEqual([409, 'idempotency_key_in_use']);
    }
    expect(await agents('raced')).toBe(1);
  });

  it.skipIf('folder' in inject('template'))('returns 409 while the first is running', async () => {
    const { db } = running.app.services;
    let first: Promise<Answer> | undefined;
    await db.$begin(async (tx) => {
      // Changes in the account wait for this row.
      await tx.$executeRaw`SELECT FROM "change_head" WHERE "account_id" = ${tenant.accountId}::uuid FOR UPDATE`;
      first = under(createAgent, agent('slow'));
      const waiting = async () => (await tx.$prisma()).$queryRaw<object[]>`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while ((await waiting()).length === 0) await setTimeout(5);
      const second = await under(createAgent, agent('slow'));
      expect(second).toMatchObject({
        status: 409,
        body: { data: null, errors: [{ extensions: { code: 'idempotency_key_in_use', status: 409 } }] },
      });
      expect(second.headers.get('retry-after')).toBe('1');
    });
    const answered = await first;
    expect(answered?.status).toBe(200);
    expect((await under(createAgent, agent('slow'))).body.data).toEqual(answered?.body.data);
  });
});

describe('A different request with the same idempotency key', () => {
  it.each([
    ['other variables', createAgent, agent('other'), {}],
    ['another document', createAgent.replace('Create(', 'Other('), agent('one'), {}],
    ['another workspace in the header', createAgent, agent('one'), { 'x-service-workspace': 'side' }],
  ])('returns 422: %s', async (what, query, variables, headers) => {
    const mark = what.replaceAll(/\W/g, '-');
    const named = { input: { ...variables.input, metadata: { name: `${variables.input.metadata.name}-${mark}` } } };
    await under(createAgent, agent(`one-${mark}`));
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const refused = await under(query, named, { headers: { ...headers, accept } });
      expect(refused).toMatchObject({
        status: 422,
        body: { data: null, errors: [{ extensions: { code: 'idempotency_key_reused', status: 422 } }] },
      });
    }
    expect(await agents(`other-${mark}`)).toBe(0);
  });

  it('is one by a credential with fewer scopes, even for the same user', async () => {
    const issue = `mutation { createApiKey(input: { name: "ci", scopes: ["agents:list"] }) { __typename
      ... on Error { code } ... on CreateApiKeyPayload { secret apiKey { id } } } }`;
    const first = await under(issue, {});
    expect(first.body.data.createApiKey.__typename).toBe('CreateApiKeyPayload');
    const { key: narrow } = await createKey(running.app, { ...tenant, scope: 'agents:list' });
    const told = await under(issue, {}, { by: narrow });
    expect(told.status).toBe(422);
    expect(JSON.stringify(told.body)).not.toContain(first.body.data.createApiKey.secret);
  });

  it('of another caller is independent, in the same account and in another one', async () => {
    const { db } = running.app.services;
    const other = await createTenant(running.app, { account: 'southwind', workspaces: ['south'] });
    const colleague = await db.principal.create({ data: { kind: 'user', name: 'colleague@northwind.example.com' } });
    const inAccount = { accountId: tenant.accountId, principalId: colleague.id };
    await db.accountMember.create({ data: { ...inAccount, role: 'admin' } });
    const { key: foreign } = await createKey(running.app, other);
    const { key: colleagues } = await createKey(running.app, inAccount);
    await under(createAgent, agent('mine'));
    const theirs = await under(createAgent, agent('theirs'), { by: colleagues });
    const south = { input: { workspace: 'south', metadata: { name: 'mine' } } };
    const others = await under(createAgent, south, { by: foreign });
    for (const { status, body } of [theirs, others]) {
      expect([status, body.data.createAgent.__typename]).toEqual([200, 'CreateAgentPayload']);
    }
  });
});

describe('A stored response', () => {
  it('returns the secret of an API key again, and stores it encrypted', async () => {
    const issue = `mutation { createApiKey(input: { name: "kept", scopes: ["agents:list"] }) {
      ... on CreateApiKeyPayload { secret apiKey { id name createdAt expiresAt owner } } } }`;
    const first = await under(issue, {});
    const { secret, apiKey } = first.body.data.createApiKey;
    expect(secret).toMatch(/^wcp_/);
    expect((await under(issue, {})).body.data).toEqual({ createApiKey: { secret, apiKey } });
    expect(await running.app.services.db.apiKey.count({ where: { name: 'kept' } })).toBe(1);
    expect(JSON.stringify(await keptUnder(idempotencyKey))).not.toContain(secret);
  });

  it.each([
    ['webhook', 'createWebhook', 'name: "kept", url: "https://example.com/kept"'],
    ['API key', 'createApiKey', 'name: "kept", scopes: ["agents:list"]'],
  ])('does not return the secret of a new %s to a caller who is no longer an admin', async (_what, mutation, input) => {
    const { app } = running;
    const { db } = app.services;
    const principal = await db.principal.create({ data: { kind: 'user', name: `${mutation}@northwind.example.com` } });
    const own = { accountId: tenant.accountId, principalId: principal.id };
    const ofMain = { workspaceId: tenant.workspaces['main'] ?? '', principalId: principal.id };
    await db.accountMember.create({ data: { ...own, role: 'member' } });
    const ofSide = { workspaceId: tenant.workspaces['side'] ?? '', principalId: principal.id };
    await db.workspaceMember.createMany({
      data: [ofMain, ofSide].map((each) => ({ ...each, role: 'admin' as const })),
    });
    const { key: by } = await createKey(app, own);
    const create = `mutation { ${mutation}(input: { workspace: "main", ${input} }) { __typename
      ... on Create${mutation.slice(6)}Payload { secret } } }`;
    const first = await under(create, {}, { by });
    const { secret } = first.body.data[mutation];
    // The role in another workspace does not matter. A caller is cached for half a second.
    await db.workspaceMember.delete({ where: { workspaceId_principalId: ofSide } });
    await setTimeout(600);
    expect((await under(create, {}, { by })).body.data[mutation].secret).toBe(secret);
    await db.workspaceMember.update({ where: { workspaceId_principalId: ofMain }, data: { role: 'member' } });
    await setTimeout(600);
    const again = await under(create, {}, { by });
    expect(again.body.errors[0].extensions.code).toBe('forbidden');
    expect(JSON.stringify(again.body)).not.toContain(secret);
  });

  it.each([
    ['update', 'metadata: { displayName: "Seen" }'],
    ['delete', ''],
  ])('does not return a workspace of %sWorkspace to a caller who lost access to it', async (verb, input) => {
    const { db } = running.app.services;
    const principal = await db.principal.create({ data: { kind: 'user', name: `${verb}r@northwind.example.com` } });
    const own = { accountId: tenant.accountId, principalId: principal.id };
    await db.accountMember.create({ data: { ...own, role: 'admin' } });
    const { key: by } = await createKey(running.app, own);
    const create = `mutation { createWorkspace(input: { metadata: { name: "to-${verb}" } }) { __typename } }`;
    await graphql(running.app, key, create);
    const typename = `${verb.slice(0, 1).toUpperCase()}${verb.slice(1)}WorkspacePayload`;
    const write = `mutation { ${verb}Workspace(input: { name: "to-${verb}", ${input} }) { __typename
      ... on ${typename} { workspace { name members(first: 5) { totalCount } } } } }`;
    const first = await under(write, {}, { by });
    expect(first.body.data[`${verb}Workspace`].workspace.name).toBe(`to-${verb}`);
    await db.accountMember.updateMany({ where: own, data: { role: 'member' } });
    await setTimeout(600);
    const again = await under(write, {}, { by });
    expect(again.body.errors[0].extensions.code).toBe('forbidden');
    expect(again.body.data).toBeNull();
  });

  it('returns the secret of a trigger again, and stores it encrypted', async () => {
    const trigger = { id: 'hook', type: 'HTTP_ASYNC' };
    const query = createAgent.replace(
      'agent { id',
      'agent { id spec { triggers { configuration { callbackSecret } } }',
    );
    const variables = agent('called-back', { spec: { triggers: [trigger] } });
    const first = await under(query, variables);
    const { callbackSecret } = first.body.data.createAgent.agent.spec.triggers[0].configuration;
    expect(callbackSecret.length).toBeGreaterThan(20);
    expect((await under(query, variables)).body.data).toEqual(first.body.data);
    expect(JSON.stringify(await keptUnder(idempotencyKey))).not.toContain(callbackSecret);
  });

  it('is neither read nor written by a dry run', async () => {
    const trial = agent('tried', { validateOnly: true });
    for (let round = 0; round < 2; round++) {
      expect((await under(createAgent, trial)).body.data.createAgent.agent.metadata.name).toBe('tried');
    }
    expect(await keptUnder(idempotencyKey)).toEqual([]);
    expect((await under(createAgent, agent('tried'))).status).toBe(200);
    expect(await agents('tried')).toBe(1);
  });

  it('is returned for 24 hours, and then deleted: the key is free', async () => {
    const { services, config, clock } = running.app;
    await under(createAgent, agent('daily'));
    const day = 24 * 60 * 60_000;
    clock.now = new Date(frozenNow.getTime() + day - 1);
    await runBackgroundTasks(services, config);
    expect((await under(createAgent, agent('daily'))).body.data.createAgent.__typename).toBe('CreateAgentPayload');
    clock.now = new Date(frozenNow.getTime() + day);
    expect((await under(createAgent, agent('daily'))).body.data.createAgent.code).toBe('name_taken');
    expect((await under(createAgent, agent('of-the-next-day'))).status).toBe(200);
    expect((await under(createAgent, agent('daily'))).status).toBe(422);
    clock.now = new Date(frozenNow.getTime() + 2 * day);
    await runBackgroundTasks(services, config);
    expect(await services.db.idempotencyKey.count()).toBe(0);
  });
});

describe('A REST change with an idempotency key', () => {
  it('is executed once, and rejects the key for other requests', async () => {
    const { app } = running;
    await addPlatform(app, tenant.workspaces['main'] ?? '', 'kept');
    const headers = { 'x-service-workspace': 'main', 'idempotency-key': idempotencyKey };
    const remove = (path: string) => rest(app, path, { key, method: 'DELETE', headers });
    const path = '/sandboxes/kept-sandbox/previews/kept-preview';
    const first = await remove(path);
    expect(first.status).toBe(200);
    expect(await remove(path)).toMatchObject({ status: 200, body: first.body });
    const other = await remove('/vpcs/kept-vpc/egressgateways/kept-gateway/ips/kept-ip');
    expect([other.status, other.body.error]).toEqual([422, 'idempotency_key_reused']);
    expect((await under(createAgent, agent('by-graphql'))).status).toBe(422);
  });

  it('does not return its response to a caller who can no longer access the workspace', async () => {
    const { app } = running;
    const { db } = app.services;
    const workspaceId = tenant.workspaces['main'] ?? '';
    const left = await addPlatform(app, workspaceId, 'left');
    const name = 'leaver@northwind.example.com';
    const { id: principalId } = await db.principal.create({ data: { kind: 'user', name } });
    await db.accountMember.create({ data: { accountId: tenant.accountId, principalId, role: 'member' } });
    await db.workspaceMember.create({ data: { workspaceId, principalId, role: 'admin' } });
    const { key: own } = await createKey(app, { accountId: tenant.accountId, principalId });
    const remove = ([path, key, more]: readonly [string, string, Record<string, string>]) =>
      rest(app, path, { key: own, method: 'DELETE', headers: { 'idempotency-key': key, ...more } });
    const named = [
      '/sandboxes/left-sandbox/previews/left-preview',
      'named',
      { 'x-service-workspace': 'main' },
    ] as const;
    const only = ['/vpcs/left-vpc/egressgateways/left-gateway/ips/left-ip', 'only', {}] as const;
    for (const request of [named, named, only, only]) expect((await remove(request)).status).toBe(200);
    const headers = { 'idempotency-key': 'declined' };
    const decline = () =>
      rest(app, `/pending-image-shares/${left.ImageShare}/decline`, { key: own, method: 'POST', headers });
    const declined = await decline();
    expect(declined).toMatchObject({ status: 200, body: { status: 'declined' } });
    expect((await decline()).body).toEqual(declined.body);
    await db.workspaceMember.create({
      data: { workspaceId: tenant.workspaces['side'] ?? '', principalId, role: 'admin' },
    });
    const removal = `mutation { removeMember(input: { workspace: "main", name: "${name}" }) { __typename } }`;
    const removed = await graphql(app, key, removal);
    expect(removed.body.data.removeMember.__typename).toBe('RemoveMemberPayload');
    // A caller is cached for half a second.
    await setTimeout(600);
    expect(await remove(named)).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    expect(await decline()).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    // Without the header, the request is now one in the other workspace.
    expect(await remove(only)).toMatchObject({ status: 422, body: { error: 'idempotency_key_reused' } });
  });
});

describe('A malformed idempotency key', () => {
  it.each(['', 'x'.repeat(256), 'clé'])('returns 400 with the name of the header: %j', async (header) => {
    const { status, body } = await under(createAgent, agent('malformed'), { headers: { 'idempotency-key': header } });
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'invalid_request']);
    expect(body.errors[0].message).toContain('Idempotency-Key');
    expect(await agents('malformed')).toBe(0);
  });

  it('includes two headers', async () => {
    const body = JSON.stringify({ query: createAgent, variables: agent('malformed') });
    const { host } = new URL(running.app.origin);
    const lines = [
      'POST /graphql HTTP/1.1',
      `Host: ${host}`,
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Idempotency-Key: one',
      'Idempotency-Key: one',
      'Connection: close',
    ];
    const answer = await sendRaw(running.app.origin, `${lines.join('\r\n')}\r\n\r\n${body}`);
    expect([answer.status, answer.body.errors[0].message]).toEqual([400, expect.stringContaining('Idempotency-Key')]);
  });
});
