// The examples of docs/errors.md: every error code, caused by a request. The responses are stored in
// docs/error-examples.json, from which `npm run generate` writes the page. After a change of a message, record them
// again: npx vitest run test/api/error-examples.test.ts -u
import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { printJson } from '../../src/api/graphql/server/errors-page.js';
import type { ErrorExample } from '../../src/api/graphql/server/errors-page.js';
import { extensionsOf } from '../../src/api/graphql/server/format-error.js';
import { ChangeWatcher } from '../../src/changes/change-watcher.js';
import { keyInUse } from '../../src/changes/idempotent-change.js';
import { errorCodes } from '../../src/error-codes.js';
import type { ErrorCode } from '../../src/error-codes.js';
import { ApiError } from '../../src/errors.js';
import { answerUnreadable } from '../../src/http/unreadable.js';
import { createKey, createTenant, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { sendRaw } from '../http/raw-connection.js';
import { anExecutor, endLeases } from '../lifecycle/executor.js';
import { addRegions } from '../resources/mutations.js';

const running = useApp({ RATE_LIMIT_USAGE_EVENTS: '1' }, { ownDatabase: true });
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'staging'] });
  key = await keyWith({ workspaceId: tenant.workspaces['main'] ?? '' });
  await addRegions(app);
  const region = 'eu-open';
  await mutate('createAgent(input: { metadata: { name: "support" } })');
  await mutate(`createVolume(input: { metadata: { name: "models" }, spec: { region: "${region}", sizeMb: 1024 } })`);
  await mutate(`createSandbox(input: {
    metadata: { name: "notebook" }
    spec: { region: "${region}", volumes: [{ name: "models", mountPath: "/models" }] }
  })`);
  await mutate('createJob(input: { metadata: { name: "nightly" }, spec: { enabled: false } })');
  await mutate('registerImageTag(input: { resourceType: AGENTS, imageName: "web", tag: { name: "v1", size: 1 } })');
});

async function keyWith(more: { workspaceId?: string; scope?: string }): Promise<string> {
  return (await createKey(running.app, { ...tenant, ...more })).key;
}

type Headers = Record<string, string>;

/** Sends an HTTP request, and returns it with its response. @param target the method and the path. */
async function send(target: string, headers: Headers, body?: string, as = key): Promise<ErrorExample> {
  const [method = 'GET', path = ''] = target.split(' ');
  const shown = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const response = await fetch(`${running.app.origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${as}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  return { request: [target, ...shown].join(', '), response: stable(await response.json()) };
}

const json = { 'Content-Type': 'application/json' };
const paged = { 'Service-Version': '2026-04-28' };

/** The cursor after the first agent. */
async function nextCursor(): Promise<string> {
  const { body } = await rest(running.app, '/agents?limit=1', { key, version: '2026-04-28' });
  return body.meta.nextCursor;
}

/** Sends a GraphQL request. */
async function ask(query: string, headers: Headers = {}): Promise<ErrorExample> {
  const { response } = await send('POST /graphql', { ...json, ...headers }, JSON.stringify({ query }));
  return { request: query, response };
}

/** Sends a mutation with one field, and returns the field with its result. @param conflict fields of ConflictError. */
async function mutate(field: string, conflict = '__typename'): Promise<ErrorExample> {
  const { response } = await ask(`mutation { ${field} { __typename ... on Error { code message }
    ... on InvalidInputError { problems { path code message } } ... on ConflictError { ${conflict} } } }`);
  return { request: `mutation { ${field.replaceAll(/\s+/g, ' ')} }`, response };
}

async function globalIdOfShare(): Promise<string> {
  const { id } = await running.app.services.db.imageShare.findFirstOrThrow();
  return encodeGlobalId('ImageShare', id);
}

/** Replaces request IDs, and leaves out positions in the document and the cost of the operation. */
function stable(response: unknown): unknown {
  return JSON.parse(JSON.stringify(response), (name, value: unknown) => {
    if (name === 'requestId') return '…';
    const isCost = typeof value === 'object' && value !== null && 'cost' in value;
    return name === 'locations' || (name === 'extensions' && isCost) ? undefined : value;
  });
}

/** An error that no request can provoke in a test, as the API returns it. */
function built(request: string, error: ApiError): ErrorExample {
  return { request, response: { errors: [{ message: error.message, extensions: extensionsOf(error, '…') }] } };
}

/** Makes each insert into a table fail with a SQLSTATE. */
async function failInserts(table: string, sqlState: string): Promise<void> {
  const { db } = running.app.services;
  await db.$executeRawUnsafe(`
    CREATE FUNCTION "fail_${table}"() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION USING ERRCODE = '${sqlState}'; END $$`);
  await db.$executeRawUnsafe(`
    CREATE TRIGGER "fail" BEFORE INSERT ON "${table}" FOR EACH ROW EXECUTE FUNCTION "fail_${table}"()`);
}

const newName =
  'mutation { updateAgent(input: { name: "support", metadata: { displayName: "Help" } }) { __typename } }';

/** In this order: the last ones break the database. */
const examples: Readonly<Record<ErrorCode, () => Promise<ErrorExample>>> = {
  invalid_request: () => send('POST /v0/usage/events', json, '{'),
  invalid_parameter: () => send('GET /v0/agents?limit=0', paged),
  invalid_input: () => mutate('createAgent(input: { metadata: { name: "Support Bot" }, spec: { region: "mars" } })'),
  invalid_api_version: () => send('GET /v0/agents', { 'Service-Version': 'latest' }),
  workspace_required: async () => send('GET /v0/agents', {}, undefined, await keyWith({})),
  cursor_invalid: () => send('GET /v0/agents?cursor=2', paged),
  cursor_expired: async () => {
    await mutate('createAgent(input: { metadata: { name: "billing" } })');
    const cursor = await nextCursor();
    const { clock } = running.app;
    const { now } = clock;
    clock.now = new Date(now.getTime() + 25 * 3_600_000);
    const { response } = await send(`GET /v0/agents?limit=1&cursor=${cursor}`, paged);
    clock.now = now;
    return { request: 'GET /v0/agents?limit=1&cursor=…', response };
  },
  cursor_mismatch: async () => {
    const { response } = await send(`GET /v0/agents?limit=1&q=support&cursor=${await nextCursor()}`, paged);
    return { request: 'GET /v0/agents?limit=1&q=support&cursor=…', response };
  },
  query_too_complex: () => ask('{ jobs(first: 200) { nodes { executions(first: 200) { nodes { job { id } } } } } }'),
  persisted_query_not_found: async () => {
    const sha256Hash = createHash('sha256').update('{ viewer { name } }').digest('hex');
    const { response } = await send(
      'POST /graphql',
      json,
      JSON.stringify({ extensions: { persistedQuery: { version: 1, sha256Hash } } }),
    );
    return { request: `POST /graphql, { "extensions": { "persistedQuery": { … } } }`, response };
  },
  document_not_trusted: async () => {
    const body = '{ "documentId": "agents-page" }';
    const { response } = await send('POST /graphql', json, body);
    return { request: `POST /graphql, ${body}`, response };
  },
  unauthorized: async () => {
    const response = await fetch(`${running.app.origin}/v0/agents`);
    return { request: 'GET /v0/agents', response: await response.json() };
  },
  forbidden: async () => send('GET /v0/agents', {}, undefined, await keyWith({ scope: 'agents:get' })),
  access_denied: () => ask('{ account(name: "fabrikam") { id } }'),
  not_found: () => send('GET /v0/images/agents/unknown', {}),
  method_not_allowed: () => send('DELETE /v0/agents', {}),
  not_acceptable: () => ask('subscription { changes { cursor } }', { Accept: 'application/json' }),
  request_timeout: async () => {
    const socket = new PassThrough();
    answerUnreadable(Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket, {});
    const [, body = ''] = String(socket.read()).split('\r\n\r\n');
    return { request: 'POST /v0/usage/events', response: JSON.parse(body) };
  },
  reader_too_slow: async () => {
    const { changeHub: hub, db } = running.app.services;
    const { accountId } = tenant;
    const { sequence } = await db.change.findFirstOrThrow({ where: { accountId }, orderBy: { sequence: 'desc' } });
    const view = {
      accountId,
      isSeen: () => true,
      canGiveAccess: () => false,
      read: () => Promise.reject(new Error('nothing is older')),
      renew: async () => {},
      cursorAfter: () => '…',
    };
    const watcher = new ChangeWatcher(hub, view, Number(sequence), Number(sequence));
    await mutate('createAgent(input: { metadata: { name: "late" } })');
    const isEnded = () => {
      watcher.check(Number.POSITIVE_INFINITY);
      return hub.followersOf(accountId) === 0;
    };
    await vi.waitUntil(isEnded, { timeout: 20_000 });
    const error = await watcher.next().catch((thrown: unknown) => thrown);
    if (!(error instanceof ApiError)) throw new Error('the watcher did not fail');
    return built('subscription { changes { cursor } }', error);
  },
  conflict: () => mutate('runJob(input: { name: "nightly" })'),
  name_taken: () => mutate('createAgent(input: { metadata: { name: "support" } })'),
  version_mismatch: async () => {
    await ask(newName);
    return mutate(
      'updateAgent(input: { name: "support", ifVersion: 1, metadata: { displayName: "Support" } })',
      'currentVersion updatedBy updatedAt changedFields',
    );
  },
  quota_exceeded: async () => {
    const { db } = running.app.services;
    const { accountId } = tenant;
    const subject = `account ${accountId}`;
    const { id } = await db.quota.create({
      data: { subject, accountId, limits: { VPC: 0 }, updatedAt: running.app.clock.now },
    });
    const example = await mutate('createVpc(input: { metadata: { name: "private" } })', 'limit actual');
    await db.quota.delete({ where: { id } });
    return example;
  },
  budget_exceeded: async () => {
    const { db } = running.app.services;
    const terms = { period: 'monthly', thresholds: [], action: 'stop' };
    const { id } = await db.budget.create({
      data: { accountId: tenant.accountId, name: 'research', amount: 1n, actual: 1n, ...terms },
    });
    const example = await mutate('createVpc(input: { metadata: { name: "private" } })');
    await db.budget.delete({ where: { id } });
    return example;
  },
  in_use: () => mutate('deleteVolume(input: { name: "models" })', 'usedBy { kind name } usedByCount'),
  protected: async () => {
    const vault = 'name: "vault"';
    await mutate(`createVpc(input: { metadata: { ${vault}, protected: true } })`);
    return mutate(`deleteVpc(input: { ${vault} })`);
  },
  not_deletable: async () => {
    key = await keyWith({});
    return mutate('deleteWorkspace(input: { name: "main" })', 'contents { kind count }');
  },
  last_admin: () => mutate('removeMember(input: { name: "owner@northwind.example.com" })'),
  already_shared: async () => {
    key = await keyWith({ workspaceId: tenant.workspaces['main'] ?? '' });
    const field = 'shareImage(input: { resourceType: AGENTS, name: "web", targetWorkspace: "staging" })';
    await mutate(field);
    return mutate(field);
  },
  share_not_pending: async () => {
    key = await keyWith({});
    const id = await globalIdOfShare();
    await mutate(`declineImageShare(input: { id: "${id}" })`);
    const { response } = await mutate(`declineImageShare(input: { id: "${id}" })`);
    key = await keyWith({ workspaceId: tenant.workspaces['main'] ?? '' });
    return { request: 'mutation { declineImageShare(input: { id: "…" }) }', response };
  },
  lease_lost: async () => {
    const executor = await anExecutor(running.app, 'one');
    await mutate('createAgent(input: { metadata: { name: "assigned" } })');
    const { assignments } = await executor.claim();
    await endLeases(running.app);
    const own = key;
    ({ key } = executor);
    const { response } = await mutate(
      `executorReportAssignment(input: { id: "${assignments[0].id}", fence: ${assignments[0].fence}, state: DEPLOYED })`,
    );
    key = own;
    return {
      request: 'mutation { executorReportAssignment(input: { id: "…", fence: 1, state: DEPLOYED }) }',
      response,
    };
  },
  stale_generation: async () => {
    const executor = await anExecutor(running.app, 'observer');
    await mutate('createAgent(input: { metadata: { name: "replaced" } })');
    const { resourceId } = (await executor.claim()).assignments[0];
    const own = key;
    ({ key } = executor);
    const { response } = await mutate(
      `executorReportStatus(input: { kind: AGENT, resourceId: "${resourceId}", generation: 1, status: FAILED })`,
    );
    key = own;
    return {
      request:
        'mutation { executorReportStatus(input: { kind: AGENT, resourceId: "…", generation: 1, status: FAILED }) }',
      response,
    };
  },
  idempotency_key_in_use: async () => built(newName, keyInUse()),
  payload_too_large: async () => {
    const { response } = await send('POST /graphql', json, JSON.stringify({ query: ' '.repeat(2 * 1024 * 1024) }));
    return { request: 'POST /graphql, with 2 MiB', response };
  },
  unsupported_media_type: () => send('POST /graphql', { 'Content-Type': 'text/plain' }, '{ viewer { name } }'),
  idempotency_key_reused: async () => {
    const headers = { 'Idempotency-Key': 'deploy-42' };
    await ask(newName, headers);
    return ask(newName.replace('Help', 'Support'), headers);
  },
  too_many_requests: async () => {
    const event = { source: 'meter', id: '1' };
    const { response } = await send('POST /v0/usage/events', json, JSON.stringify([event, event]));
    return { request: 'POST /v0/usage/events, with 2 events', response };
  },
  headers_too_large: async () => {
    const text = `GET /v0/agents HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`;
    const { body } = await sendRaw(running.app.origin, text);
    return { request: 'GET /v0/agents, with 20,000 bytes of headers', response: body };
  },
  unavailable: async () => {
    await failInserts('volume', '53100');
    return ask(
      'mutation { createVolume(input: { metadata: { name: "data" }, spec: { region: "eu-open", sizeMb: 64 } }) { __typename } }',
    );
  },
  timeout: async () => {
    await failInserts('sandbox', '57014');
    return ask('mutation { createSandbox(input: { metadata: { name: "shell" } }) { __typename } }');
  },
  internal_error: async () => {
    await running.app.services.db.$executeRawUnsafe('DROP TABLE "agent" CASCADE');
    return send('GET /v0/agents', {});
  },
};

/** The error code and the HTTP status of a REST body, of a GraphQL error, or of the result of a mutation. */
function codeIn(response: unknown): unknown {
  const found: unknown[] = [];
  JSON.stringify(response, (name, value: unknown) => {
    if ((name === 'code' || name === 'error') && typeof value === 'string') found.push(value);
    return value;
  });
  return found.find((code) => typeof code === 'string' && Object.hasOwn(errorCodes, code));
}

describe('docs/errors.md', () => {
  it('shows the response of a request for every error code', async () => {
    const provoked: Record<string, ErrorExample> = {};
    for (const [code, provoke] of Object.entries(examples)) provoked[code] = await provoke();
    const codes = Object.keys(errorCodes);
    expect(
      Object.fromEntries(Object.entries(provoked).map(([code, { response }]) => [code, codeIn(response)])),
    ).toEqual(Object.fromEntries(codes.map((code) => [code, code])));
    const ordered = Object.fromEntries(codes.map((code) => [code, provoked[code]]));
    await expect(`${printJson(ordered)}\n`).toMatchFileSnapshot('../../docs/error-examples.json');
  });
});
