// The MCP server as HTTP: methods, credentials, origins, and requests that are no messages.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, createToken, frozenNow, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';
import { connectAssistant } from './assistant.js';

const running = useApp({
  PUBLIC_URL: 'https://control.example.com',
  CORS_ORIGINS: 'https://dash.example.com',
  RATE_LIMIT_REQUESTS: '1000',
});
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'one', workspaces: ['acme'] });
  ({ key } = await createKey(running.app, tenant));
});

interface Sent {
  method?: string;
  body?: BodyInit;
  headers?: Record<string, string>;
}

async function send({ method = 'POST', body, headers = {} }: Sent) {
  const all = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers };
  const given = body === undefined ? {} : { body };
  const response = await fetch(`${running.app.origin}/mcp`, { method, headers: all, ...given });
  const text = await response.text();
  // Tests inspect responses, whose type is unknown.
  const read: ReturnType<typeof JSON.parse> = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, body: read };
}

const message = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const callOf = (name: string, input: object) => message('tools/call', { name, arguments: input });

describe('the MCP endpoint', () => {
  it('needs no session: a call without initialization is answered as JSON', async () => {
    const { status, headers, body } = await send({
      body: callOf('whoami', {}),
      headers: { accept: 'application/json' },
    });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('mcp-session-id')).toBeNull();
    expect(body.result.structuredContent.name).toBe('owner@one.example.com');
    expect(JSON.parse(body.result.content[0].text)).toEqual(body.result.structuredContent);
  });

  it.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('answers 405 to %s', async (method) => {
    const { status, headers, body } = await send({ method });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('POST');
    expect(body.error.code).toBe(-32_600);
  });

  it('accepts notifications with 202', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect((await send({ body })).status).toBe(202);
  });

  it('has no other paths', async () => {
    const response = await fetch(`${running.app.origin}/mcp/other`, { method: 'POST' });
    expect(response.status).toBe(404);
  });

  it('has no streams to subscribe to', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = message('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: meta });
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
    const answer = await send({ body, headers });
    expect(answer.body.error.message).toBe('Subscription limit reached');
  });

  it('counts against the rate limits of the caller', async () => {
    const { headers } = await send({ body: callOf('whoami', {}) });
    expect(headers.get('ratelimit')).toMatch(/requests/);
  });
});

describe('credentials', () => {
  it.each([
    ['without a credential', {}, /^Bearer resource_metadata=/],
    [
      'with an unknown one',
      { authorization: 'Bearer wcp_unknown' },
      /^Bearer error="invalid_token".*resource_metadata=/,
    ],
  ])('answers 401 %s, with the address of the metadata', async (_case, headers, challenge) => {
    const body = callOf('whoami', {});
    const response = await fetch(`${running.app.origin}/mcp`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    expect(response.status).toBe(401);
    const header = response.headers.get('www-authenticate') ?? '';
    expect(header).toMatch(challenge);
    const path = /resource_metadata="https:\/\/control\.example\.com([^"]+)"/.exec(header)?.[1];
    expect(path).toBe('/.well-known/oauth-protected-resource/mcp');
    const metadata = await fetch(`${running.app.origin}${path}`);
    expect(await metadata.json()).toMatchObject({
      resource: 'https://control.example.com/mcp',
      authorization_servers: ['https://control.example.com/v0'],
    });
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { data: { status: 401 } } });
  });

  it('rejects an expired key', async () => {
    const expired = await createKey(running.app, { ...tenant, expiresAt: new Date(frozenNow.getTime() - 1) });
    const headers = { authorization: `Bearer ${expired.key}` };
    const { status, headers: sent, body } = await send({ body: callOf('whoami', {}), headers });
    expect(status).toBe(401);
    expect(sent.get('www-authenticate')).toContain('resource_metadata=');
    expect(body.error).toMatchObject({ message: 'The credential has expired.', data: { code: 'unauthorized' } });
  });

  it('accepts access tokens, with their scopes', async () => {
    const { token } = await createToken(running.app, tenant, 'agents:list');
    const { call } = await connectAssistant(running.app, token);
    expect((await call('whoami')).result).toMatchObject({ credential: 'ACCESS_TOKEN', scopes: ['agents:list'] });
    expect((await call('list_resources', { kind: 'Agent', workspace: 'acme' })).isError).toBe(false);
  });

  it('answers 403 to a call that lacks a scope, and names it so that the client can ask for it', async () => {
    const { token } = await createToken(running.app, tenant, 'agents:list');
    const body = callOf('list_resources', { kind: 'Job', workspace: 'acme' });
    const denied = await send({ body, headers: { authorization: `Bearer ${token}` } });
    expect(denied.status).toBe(403);
    expect(denied.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="jobs:list", ' +
        'resource_metadata="https://control.example.com/.well-known/oauth-protected-resource/mcp"',
    );
    expect(denied.body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32_600,
        message: 'This credential lacks the scope jobs:list.',
        data: { code: 'forbidden', status: 403, requestId: expect.any(String) },
      },
    });
    const { status, body: own } = await send({
      body: callOf('get_resource', { kind: 'Workspace', name: 'no-such' }),
    });
    expect(status).toBe(200);
    expect(own.result.isError).toBe(true);
  });

  it('are described at the root of the host too, for clients that look only there', async () => {
    const of = async (path: string) => (await fetch(`${running.app.origin}/.well-known/${path}`)).json();
    expect(await of('oauth-authorization-server')).toEqual(await of('oauth-authorization-server/v0'));
    expect(await of('oauth-protected-resource')).toEqual({
      ...(await of('oauth-protected-resource/mcp')),
      resource: 'https://control.example.com',
    });
  });

  it('records a denied call in the change log, with the API', async () => {
    const narrow = await createKey(running.app, { ...tenant, scope: 'agents:list' });
    const { call } = await connectAssistant(running.app, narrow.key);
    await call('run_job', { workspace: 'acme', job: 'nightly' });
    await running.app.services.deniedRequests.settle();
    const admin = await connectAssistant(running.app, key);
    const { result } = await admin.call('list_changes', { actions: ['DENIED'], names: ['Mutation.runJob'] });
    expect(result.changes).toMatchObject([{ kind: 'ACCESS', name: 'Mutation.runJob' }]);
  });

  it('records a manifest that it refuses before any operation, for a scope and for a role', async () => {
    const { db } = running.app.services;
    const workspaceId = tenant.workspaces['acme'] ?? '';
    const owner = await db.principal.create({ data: { kind: 'user', name: 'viewer@one.example.com' } });
    const ofOwner = { accountId: tenant.accountId, principalId: owner.id };
    await db.accountMember.create({ data: { ...ofOwner, role: 'member' } });
    await db.workspaceMember.create({ data: { workspaceId, principalId: owner.id, role: 'viewer' } });
    const keys = [
      await createKey(running.app, { ...tenant, scope: 'agents:list' }),
      await createKey(running.app, { ...tenant, scope: 'volumes:create' }),
      await createKey(running.app, ofOwner),
    ];
    for (const each of keys) {
      const { call } = await connectAssistant(running.app, each.key);
      await call('apply_manifest', { manifest: 'kind: Agent\nworkspace: acme\nmetadata: { name: a }' });
    }
    await running.app.services.deniedRequests.settle();
    const admin = await connectAssistant(running.app, key);
    const { result } = await admin.call('list_changes', { actions: ['DENIED'], names: ['apply_manifest'] });
    expect(result.changes).toHaveLength(keys.length);
  });
});

describe('origins', () => {
  it.each(['https://evil.example.com', 'http://control.example.com.evil.com', 'null', 'http://127.0.0.1.nip.io'])(
    'rejects a page of %s, before the credential is read',
    async (origin) => {
      const { status, body } = await send({ body: callOf('whoami', {}), headers: { origin, authorization: 'none' } });
      expect(status).toBe(403);
      expect(body.error.data.code).toBe('forbidden');
    },
  );

  it.each(['https://control.example.com', 'https://dash.example.com', 'http://localhost:6274'])(
    'accepts a page of %s',
    async (origin) => {
      expect((await send({ body: callOf('whoami', {}), headers: { origin } })).status).toBe(200);
    },
  );

  it('answers preflight requests of the origins that CORS allows', async () => {
    const response = await fetch(`${running.app.origin}/mcp`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://dash.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version');
  });
});

describe('broken input', () => {
  const deep = `${'['.repeat(100)}${']'.repeat(100)}`;

  it.each([
    ['no JSON', 'hello', 400, -32_700],
    ['an empty body', '', 400, -32_700],
    ['a cut body', '{"jsonrpc":"2.0","id":1,', 400, -32_700],
    ['a batch', '[]', 400, -32_600],
    ['another value', '7', 400, -32_600],
    ['no message', '{}', 400, -32_600],
    ['no method', '{"jsonrpc":"2.0","id":1}', 400, -32_600],
    ['deep nesting', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`, 400, -32_600],
    ['more than 1 MiB', `{"a":"${'x'.repeat(1024 * 1024)}"}`, 413, -32_600],
  ])('rejects %s', async (_case, body, status, code) => {
    const answer = await send({ body });
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({
      jsonrpc: '2.0',
      error: { code, message: expect.any(String) },
    });
  });

  it('rejects bytes that are not UTF-8, and other media types', async () => {
    expect((await send({ body: new Uint8Array([0xff, 0xfe]) })).status).toBe(400);
    expect((await send({ body: '{}', headers: { 'content-type': 'text/plain' } })).status).toBe(415);
  });

  it('does not execute a call that is a notification', async () => {
    const params = {
      name: 'apply_manifest',
      arguments: { manifest: 'kind: Workspace\nmetadata: { name: sent }', dryRun: false },
    };
    const { status } = await send({ body: JSON.stringify({ jsonrpc: '2.0', method: 'tools/call', params }) });
    expect(status).toBe(202);
    const { body } = await send({ body: callOf('whoami', {}) });
    expect(body.result.structuredContent.workspaces).toEqual([{ name: 'acme', viewerRole: 'ADMIN' }]);
  });

  it.each([
    ['an unknown method', message('tools/destroy')],
    ['an unknown tool', callOf('no_such_tool', {})],
    ['params of another type', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: 'x' })],
    ['a tool without a name', message('tools/call', { arguments: {} })],
  ])('answers %s with an error of the protocol', async (_case, body) => {
    const answer = await send({ body });
    expect(answer.status).toBeLessThan(500);
    expect(answer.body.error.code).toBeLessThanOrEqual(-32_600);
    expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|at .*\.js/);
  });

  it('answers every tool with an error, and never with a failure, for input of any type', async () => {
    const { client } = await connectAssistant(running.app, key);
    const { tools } = await client.listTools();
    const values = [null, 1e308, '\u0000', '😀'.repeat(300), [null], { $ne: 1 }];
    for (const { name, inputSchema } of tools) {
      const fields = Object.keys(inputSchema.properties ?? {});
      const inputs = fields.flatMap((field) => values.map((value) => ({ ...valid[name], [field]: value })));
      for (const input of [...inputs, { unknown: 1 }, { __proto__: 1, constructor: 1 }]) {
        const { status, body } = await send({ body: callOf(name, input) });
        expect(status).toBe(200);
        const { text } = body.result.content[0];
        expect({ input, text }).toEqual({ input, text: expect.not.stringMatching(/internal_error|unexpectedly/) });
        expect(text).not.toBe('');
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_192);
      }
    }
  });

  it('answers input of any size in few words, with no tool excepted', async () => {
    const { client } = await connectAssistant(running.app, key);
    const { tools } = await client.listTools();
    const long = 'x'.repeat(500_000);
    const many = (item: unknown, count: number) => Array.from({ length: count }, () => item);
    const map = (count: number) => Object.fromEntries(many(1, count).map((value, index) => [`k${index}`, value]));
    for (const { name, inputSchema } of tools) {
      const fields = Object.keys(inputSchema.properties ?? {});
      const values = [many('WRONG', 90_000), many(7, 900), long, map(60_000), map(900), { [long]: long }];
      const inputs = fields.flatMap((field) => values.map((value) => ({ ...valid[name], [field]: value })));
      for (const input of [...inputs, map(60_000), map(900), { ...valid[name], [long]: 1 }]) {
        const { status, text } = await sendText(callOf(name, input));
        expect([200, 400]).toContain(status);
        expect({ name, length: text.length }).toEqual({
          name,
          length: expect.toSatisfy((size: number) => size <= 9_000),
        });
        expect(text).not.toContain('x'.repeat(300));
        expect(text).not.toMatch(/internal_error|unexpectedly|call stack/);
      }
    }
    const head = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } };
    const initialize = { protocolVersion: long, capabilities: {}, clientInfo: { name: long, version: long } };
    for (const message of [
      { ...head, id: long },
      { ...head, id: { long } },
      { ...head, method: long },
      { ...head, jsonrpc: long },
      { ...head, params: { name: long } },
      { ...head, params: { name: 'whoami', _meta: { 'io.modelcontextprotocol/protocolVersion': long } } },
      { ...head, method: 'initialize', params: initialize },
      { ...head, method: 'tools/list', params: { cursor: long } },
      { ...head, method: 'resources/read', params: { uri: long } },
      { ...head, [long]: 1 },
    ]) {
      const { status, text } = await sendText(JSON.stringify(message));
      expect(status).toBeLessThan(500);
      expect(text).not.toContain('x'.repeat(300));
    }
  }, 240_000);

  async function sendText(body: string): Promise<{ status: number; text: string }> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${running.app.origin}/mcp`, { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  }

  const valid: Record<string, object> = {
    search: { text: 'x' },
    list_resources: { kind: 'Agent', workspace: 'acme' },
    get_resource: { kind: 'Agent', workspace: 'acme', name: 'x' },
    workspace_overview: { workspace: 'acme' },
    graphql_query: { query: '{ viewer { name } }' },
    apply_manifest: { manifest: 'kind: Agent\nworkspace: acme\nmetadata: { name: x }' },
    run_job: { workspace: 'acme', job: 'x' },
    redeploy: { id: 'x' },
    delete_resource: { id: 'x', version: 1 },
  };
});

it('serves the client of the SDK without a session', async () => {
  const headers = { authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${running.app.origin}/mcp`), {
    requestInit: { headers },
  });
  const { client } = await connectAssistant(running.app, key);
  expect(transport.sessionId).toBeUndefined();
  expect(client.getServerVersion()).toMatchObject({ name: 'workload-control-plane' });
  expect(client.getInstructions()).toContain('whoami');
});
