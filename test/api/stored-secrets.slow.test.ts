// Every value that can be a credential is stored encrypted or as a hash: no column of any table, no log line, no line of
// the audit export and no response to a viewer has one of them in clear.
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/run.js';
import { createGateway } from '../../src/server/server.js';
import { tokenSettings } from '../../src/server/create-services.js';
import { createKey, createTenant, graphql, rest, useApp } from '../harness.js';
import type { Answer, Tenant, TestApp } from '../harness.js';
import { anExecutor } from '../lifecycle/executor.js';
import { portOf, openShell } from '../manifests/command.js';
import { keyOfSomebody, mutate } from '../resources/mutations.js';
import { connectAssistant } from './mcp/assistant.js';
import { authorizeAddress, givePassword, obtainCode, password, redeem, registerClient } from './oauth/visitor.js';

const running = useApp({ WEBHOOK_HTTP: 'on', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' });
const workspace = 'vault-main';
const lines: string[] = [];
let app: TestApp;
let tenant: Tenant;
let key: string;
let viewer: string;
/** The secrets by what they are. */
const secrets = new Map<string, string>();

/** A new marker that is not a substring of another one. */
function secret(of: string): string {
  const value = `mark-${of}-${crypto.randomUUID()}`;
  secrets.set(of, value);
  return value;
}

function isFound(text: string): string[] {
  const hex = (value: string) => Buffer.from(value).toString('hex');
  return [...secrets].flatMap(([of, value]) => (text.includes(value) || text.includes(hex(value)) ? [of] : []));
}

/** Sends a mutation with an idempotency key, so that its response is stored. */
async function change(mutation: string, fields: string, input: object, by = key): Promise<Answer['body']> {
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
  const query = `mutation ($input: ${type}Input!) {
    result: ${mutation}(input: $input) { __typename ... on Error { message } ... on ${type}Payload { ${fields} } } }`;
  const { body } = await graphql(app, by, query, { input }, { 'idempotency-key': crypto.randomUUID() });
  expect(body.errors).toBeUndefined();
  return body.data.result;
}

async function done(mutation: string, fields: string, input: object): Promise<Answer['body']> {
  const result = await change(mutation, fields, input);
  expect(result.message).toBeUndefined();
  return result;
}

const secretEnv = (value: string) => ({ runtime: { envs: [{ name: 'TOKEN', value, secret: true }] } });

const agentSpec = () => ({
  ...secretEnv(secret('variable of an agent')),
  triggers: [
    {
      id: 'hook',
      type: 'HTTP_ASYNC',
      configuration: {
        path: '/in',
        callbackUrl: `https://user:${secret('callback password')}@example.com/${secret('callback path')}`,
      },
    },
  ],
});

const headers = (of: string) => ({
  requestHeaders: { authorization: `Bearer ${secret(`request header ${of}`)}` },
  responseHeaders: { 'set-cookie': `session=${secret(`response header ${of}`)}` },
});

beforeAll(async () => {
  const stream = new Writable({
    write: (chunk, _encoding, written) => {
      lines.push(String(chunk));
      written();
    },
  });
  const log = pino({ level: 'trace' }, stream);
  const gateway = createGateway({ ...running.app.services, log, isRegistrationOn: true });
  await once(gateway.server.listen(0, '127.0.0.1'), 'listening');
  app = { ...running.app, gateway, origin: `http://127.0.0.1:${portOf(gateway.server.address())}` };
  tenant = await createTenant(app, { account: 'vault', workspaces: [workspace] });
  ({ key } = await createKey(app, tenant));
  viewer = await keyOfSomebody(app, tenant, { account: 'viewer', workspace, role: 'viewer' });
  await fill();
});

afterAll(() => {
  app.gateway.server.closeAllConnections();
  app.gateway.server.close();
});

async function fill(): Promise<void> {
  const named = (name: string) => ({ workspace, metadata: { name } });
  const executor = await anExecutor(app, 'vault');
  secrets.set('key of an executor', executor.key);
  await done('createAgent', 'agent { id }', { ...named('agent'), spec: agentSpec() });
  await done('createSandbox', 'sandbox { id }', { ...named('box'), spec: secretEnv(secret('variable of a sandbox')) });
  await done('createJob', 'job { id }', { ...named('job'), spec: secretEnv(secret('variable of a job')) });
  const ofBox = { workspace, sandboxName: 'box' };
  await done('createSandboxPreview', 'sandboxPreview { spec { requestHeaders } }', {
    ...ofBox,
    metadata: { name: 'web' },
    spec: { port: 1, ...headers('at first') },
  });
  // The executor deploys all of it, and reports the state that the next change replaces.
  const { assignments } = await executor.claim({ first: 20 });
  const preview = assignments.find(({ kind }: { kind: string }) => kind === 'SANDBOX_PREVIEW');
  expect(preview.desired.spec.requestHeaders.authorization).toBe(`Bearer ${secrets.get('request header at first')}`);
  const agent = assignments.find(({ kind }: { kind: string }) => kind === 'AGENT');
  expect(agent.desired.spec.triggers[0].configuration.callbackUrl).toContain(secrets.get('callback path'));
  for (const each of assignments) await executor.report(each, { state: 'DEPLOYED' });
  await done('updateSandboxPreview', 'sandboxPreview { version }', { ...ofBox, name: 'web', spec: headers('later') });
  await done('updateAgent', 'agent { version }', { workspace, name: 'agent', spec: agentSpec() });
  await done('runJob', 'jobExecution { id }', { workspace, name: 'job', envOverride: { OVER: secret('override') } });
  // Deleted resources stay in the assignment of their executor.
  await done('createSandboxPreview', 'sandboxPreview { id }', {
    ...ofBox,
    metadata: { name: 'short' },
    spec: headers('deleted'),
  });
  const short = (await executor.claim({ first: 20 })).assignments.find(
    ({ desired }: { desired: { metadata: { name: string } } }) => desired.metadata.name === 'short',
  );
  await executor.report(short, { state: 'DEPLOYED' });
  await done('deleteSandboxPreview', 'sandboxPreview { id }', { ...ofBox, name: 'short' });
  const { webhook, secret: signing } = await done('createWebhook', 'webhook { id url } secret', {
    workspace,
    name: 'hook',
    url: `http://127.0.0.1:9/${secret('webhook path')}?token=${secret('webhook query')}`,
  });
  expect(webhook.url).toContain(secrets.get('webhook path'));
  secrets.set('webhook secret', signing);
  const moved = { id: webhook.id, url: `http://127.0.0.1:9/${secret('later webhook path')}` };
  await done('updateWebhook', 'webhook { url }', moved);
  secrets.set('rotated webhook secret', (await done('rotateWebhookSecret', 'secret', { id: webhook.id })).secret);
  await done('testWebhook', 'delivery { id }', { id: webhook.id });
  secrets.set('API key', key);
  secrets.set('new API key', (await done('createApiKey', 'secret', { name: 'new', scopes: ['agents:list'] })).secret);
  // Refused requests: invalid, denied, dry runs, and other transports.
  const refused = { ...ofBox, metadata: { name: '-' }, spec: headers('refused') };
  expect((await change('createSandboxPreview', 'sandboxPreview { id }', refused)).message).toBeTruthy();
  const denied = { ...ofBox, metadata: { name: 'denied' }, spec: headers('denied') };
  expect((await change('createSandboxPreview', 'sandboxPreview { id }', denied, viewer)).message).toBeTruthy();
  await done('createSandboxPreview', 'sandboxPreview { id }', {
    ...ofBox,
    metadata: { name: 'dry' },
    spec: headers('dry run'),
    validateOnly: true,
  });
  const assistant = await connectAssistant(app, key);
  const manifest = `kind: SandboxPreview\nworkspace: ${workspace}\nsandbox: box\nmetadata: { name: by-assistant }\nspec: ${JSON.stringify(headers('by an assistant'))}`;
  await assistant.call('apply_manifest', { manifest });
  await signIn();
}

/** A user with a password, a session, a code, tokens, and a client with a secret. */
async function signIn(): Promise<void> {
  const client = await registerClient(app, { id: 'vault-client' });
  const email = await givePassword(app, 'vault');
  secrets.set('password', password);
  secrets.set('client secret', client.secret);
  const { code, verifier, visitor } = await obtainCode(app, email, { client_id: client.id, scope: 'admin' });
  const { body } = await redeem(app, client, { code, verifier });
  for (const [of, value] of Object.entries({ code, access: body.access_token, refresh: body.refresh_token }))
    secrets.set(of, value);
  for (const [name, value] of visitor.cookies) if (value.length >= 20) secrets.set(`cookie ${name}`, value);
  await visitor.open(authorizeAddress({ client_id: client.id }));
}

describe('Values that can be credentials', () => {
  it('are many, and are found in a text that has one', () => {
    expect(secrets.size).toBeGreaterThan(25);
    expect(isFound(`x${secrets.get('webhook path')}y`)).toEqual(['webhook path']);
  });

  it('are in no column of any table', async () => {
    const { db } = app.services;
    const tables = await db.$queryRaw<{ name: string }[]>`
      SELECT format('%I', tablename) AS "name" FROM pg_tables WHERE schemaname = current_schema()`;
    expect(tables.length).toBeGreaterThan(50);
    const found: Record<string, string[]> = {};
    let filled = 0;
    for (const { name } of tables) {
      const rows = await db.$queryRawUnsafe<{ row: string }[]>(
        `SELECT row_to_json(t)::text AS "row" FROM ${name} AS t`,
      );
      if (rows.length > 0) filled++;
      const here = rows.flatMap(({ row }) => isFound(row));
      if (here.length > 0) found[name] = here;
    }
    expect(found).toEqual({});
    expect(filled).toBeGreaterThan(25);
  });

  it('are in no line of the log', () => {
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.flatMap(isFound)).toEqual([]);
  });

  it('are in no line of the audit export', async () => {
    for (const format of ['jsonl', 'csv']) {
      const standardOutput = new PassThrough();
      const written = text(standardOutput);
      const context = { ...app.services, tokens: tokenSettings(app.config), folder: '.', standardOutput };
      const line = `audit export --account vault --format ${format}`;
      expect(await runCommandLine(context, line.split(' '))).toMatchObject({ exitCode: 0, stderr: '' });
      standardOutput.end();
      const stdout = await written;
      expect(stdout).toContain('SANDBOX_PREVIEW');
      expect(isFound(stdout)).toEqual([]);
    }
  });

  it('are in no response to a viewer, and no header is in one to an admin', async () => {
    const everything = `{
      agents(workspace: "${workspace}") { nodes { spec { runtime { envs { value } } triggers { configuration { callbackSecret callbackUrl } } } } }
      sandboxes(workspace: "${workspace}") { nodes { previews { nodes { spec { requestHeaders responseHeaders } } } } }
      changes(first: 100) { nodes { before after message } } }`;
    for (const by of [viewer, key]) {
      const { body } = await graphql(app, by, everything);
      expect(body.data.sandboxes.nodes[0].previews.nodes).toEqual(
        expect.arrayContaining([
          { spec: { requestHeaders: { authorization: '***' }, responseHeaders: { 'set-cookie': '***' } } },
        ]),
      );
      const { configuration } = body.data.agents.nodes[0].spec.triggers[0];
      expect(configuration.callbackUrl === '***').toBe(by === viewer);
      delete configuration.callbackUrl;
      expect(isFound(JSON.stringify(body))).toEqual([]);
    }
    const agents = await rest(app, '/agents', { key: viewer, headers: { 'x-service-workspace': workspace } });
    expect(agents.body[0].spec.triggers[0].configuration.callbackUrl).toBe('***');
    const path = '/sandboxes/box/previews/web';
    const removed = await rest(app, path, { key, method: 'DELETE', headers: { 'x-service-workspace': workspace } });
    expect(removed.body.spec).toMatchObject({ requestHeaders: { authorization: '***' } });
  });
});

describe('A mask that is sent back', () => {
  const spec = 'spec { requestHeaders responseHeaders } version';

  it('keeps the stored header, and is refused where none is stored', async () => {
    const ofBox = { workspace, sandboxName: 'box' };
    const given = { requestHeaders: { a: 'one', b: 'two' }, responseHeaders: { a: 'three' } };
    await mutate(app, key, 'createSandboxPreview', `sandboxPreview { ${spec} }`, {
      ...ofBox,
      metadata: { name: 'kept' },
      spec: given,
    });
    const stored = async () => {
      const { db, encryption } = app.services;
      const row = await db.sandboxPreview.findFirstOrThrow({ where: { name: 'kept' } });
      const open = (values: Record<string, string>) =>
        Object.fromEntries(
          Object.entries(values).map(([name, value]) => [
            name,
            encryption.ofRow('sandbox_preview', row.id).decrypt('preview header', value),
          ]),
        );
      const { requestHeaders = {}, responseHeaders = {} } = JSON.parse(JSON.stringify(row.spec));
      return { requestHeaders: open(requestHeaders), responseHeaders: open(responseHeaders) };
    };
    expect(await stored()).toEqual(given);
    const update = (change: object) =>
      mutate(app, key, 'updateSandboxPreview', `sandboxPreview { ${spec} }`, { ...ofBox, name: 'kept', spec: change });
    const unchanged = await update({ requestHeaders: { a: '***', b: 'two' }, responseHeaders: { a: '***' } });
    expect(unchanged.sandboxPreview.version).toBe(1);
    expect((await update({ requestHeaders: { a: '***', b: 'new' } })).sandboxPreview.version).toBe(2);
    expect(await stored()).toEqual({ ...given, requestHeaders: { a: 'one', b: 'new' } });
    const refused = await update({ requestHeaders: { c: '***', constructor: '***' }, responseHeaders: { b: '***' } });
    expect(refused.problems.map(({ path }: { path: string[] }) => path.join('.')).toSorted()).toEqual([
      'spec.requestHeaders.c',
      'spec.requestHeaders.constructor',
      'spec.responseHeaders.b',
    ]);
    expect(await stored()).toEqual({ ...given, requestHeaders: { a: 'one', b: 'new' } });
  });

  it('keeps the callback URL of the trigger with that id or type, and is refused for a new one', async () => {
    const query = `{ agent(workspace: "${workspace}", name: "masked") { version
      spec { triggers { id configuration { callbackUrl path } } } } }`;
    const url = (name: string) => `https://example.com/${name}`;
    const trigger = (id: string | undefined, callbackUrl: string, path?: string) => ({
      ...(id !== undefined && { id }),
      type: 'HTTP_ASYNC',
      configuration: { callbackUrl, ...(path !== undefined && { path }) },
    });
    const triggers = [trigger('one', url('one')), trigger('two', url('two'))];
    await mutate(app, key, 'createAgent', 'agent { id }', {
      workspace,
      metadata: { name: 'masked' },
      spec: { triggers },
    });
    const update = (next: object[]) =>
      mutate(app, key, 'updateAgent', 'agent { version }', { workspace, name: 'masked', spec: { triggers: next } });
    const shown = async () => {
      const { version, spec: read } = (await graphql(app, key, query)).body.data.agent;
      const urls = read.triggers.map((each: { id: string; configuration: { callbackUrl: string } }) => [
        each.id,
        each.configuration.callbackUrl,
      ]);
      return { version, urls };
    };
    await update([trigger('one', '***'), trigger('two', url('two'))]);
    expect(await shown()).toEqual({
      version: 1,
      urls: [
        ['one', url('one')],
        ['two', url('two')],
      ],
    });
    await update([trigger('two', '***', '/new'), trigger('one', url('other'))]);
    expect(await shown()).toEqual({
      version: 2,
      urls: [
        ['two', url('two')],
        ['one', url('other')],
      ],
    });
    // A trigger without an id is the one with the same URL, also in another order.
    await update([trigger(undefined, url('other')), trigger(undefined, url('two'), '/new')]);
    expect(await shown()).toEqual({
      version: 3,
      urls: [
        ['one', url('other')],
        ['two', url('two')],
      ],
    });
    const refused = await update([trigger('three', '***'), trigger('one', '***'), trigger('two', '***')]);
    expect(refused.problems).toMatchObject([{ path: ['spec', 'triggers', '0', 'configuration', 'callbackUrl'] }]);
  });

  it('is what `export` writes, and applying that changes nothing', async () => {
    const shell = await openShell(app);
    const { workspace: place } = shell;
    const box = `kind: Sandbox
workspace: ${place}
metadata: { name: box }
spec: {}`;
    const web = `kind: SandboxPreview
workspace: ${place}
sandbox: box
metadata: { name: web }
spec: { port: 1, responseHeaders: { x-frame: deny } }`;
    await shell.done(
      'apply -f -',
      `${box}
---
${web}`,
    );
    const exported = await shell.done(`get all --workspace ${shell.workspace} -o yaml`);
    expect(exported).toContain('***');
    expect(exported).not.toContain('deny');
    expect(await shell.done('apply -f -', exported)).toMatch(/unchanged/);
  });
});
