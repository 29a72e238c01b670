// GraphQL over HTTP beyond the audits: statuses, streams, and the scope of an error.
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openContext } from '../../../src/http/open-context.js';
import { readDocument } from '../../../src/api/graphql/server/document.js';
import { executeOperation } from '../../../src/api/graphql/server/execute.js';
import { findOperation } from '../../../src/api/graphql/server/operation.js';
import { statusOfResult } from '../../../src/api/graphql/server/result-status.js';
import { addAgents, anAgent, createKey, createTenant, createToken, graphql, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';

const running = useApp();
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  await addAgents(app, tenant.workspaces['main'], [anAgent('one'), anAgent('two'), anAgent('three')]);
});

describe('One error', () => {
  it('of a root field does not affect the other fields', async () => {
    const { token } = await createToken(running.app, tenant, 'agents:list');
    const { status, body } = await graphql(running.app, token, '{ agents { totalCount } sandboxes { totalCount } }');
    expect([status, body.data]).toEqual([200, { agents: { totalCount: 3 }, sandboxes: null }]);
    expect(body.errors).toEqual([expect.objectContaining({ path: ['sandboxes'] })]);
    expect(body.errors[0].extensions).toMatchObject({ code: 'forbidden', status: 403 });
  });

  it('of one id among several is a null at its position', async () => {
    const { app } = running;
    const { body: found } = await graphql(app, key, '{ agents { nodes { id } } }');
    const [{ id: one }, { id: two }] = found.data.agents.nodes;
    const ids = [one, 'nonsense', '', Buffer.from('1:Agent:x').toString('base64url'), two, one];
    const { body } = await graphql(app, key, 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
    expect(body.errors).toBeUndefined();
    expect(body.data.nodes).toEqual([{ id: one }, null, null, null, { id: two }, { id: one }]);
  });

  it('of a malformed id alone returns 400, and names the field', async () => {
    const { body } = await graphql(running.app, key, '{ node(id: "nonsense") { id } }');
    expect(body.data.node).toBeNull();
    expect(body.errors[0].extensions).toMatchObject({ code: 'invalid_parameter', field: 'id' });
  });
});

describe('Cursors', () => {
  it('of the same rows of the same query are stable', async () => {
    const query = '{ agents(first: 2) { edges { cursor } pageInfo { startCursor endCursor } } }';
    const [one, other] = [await graphql(running.app, key, query), await graphql(running.app, key, query)];
    expect(other.body.data).toEqual(one.body.data);
    const { edges, pageInfo } = one.body.data.agents;
    expect([edges[0].cursor, edges[1].cursor]).toEqual([pageInfo.startCursor, pageInfo.endCursor]);
  });
});

describe('A streamed response', () => {
  it('is sent in chunks without a length', async () => {
    const received = await new Promise<{ headers: Record<string, unknown>; text: string }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'multipart/mixed' };
      const sent = request(`${running.app.origin}/graphql`, { method: 'POST', headers }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('end', () => resolve({ headers: response.headers, text }));
      });
      sent.on('error', reject);
      sent.end(JSON.stringify({ query: '{ viewer { name } }' }));
    });
    expect(received.headers).toMatchObject({ 'transfer-encoding': 'chunked', 'x-content-type-options': 'nosniff' });
    expect(received.headers['content-length']).toBeUndefined();
    expect(received.text).toContain('"name":"owner@northwind.example.com"');
  });
});

describe('A response that the client does not accept', () => {
  const mutation = 'mutation { deleteAgent(input: { workspace: "main", name: "three" }) { __typename } }';

  it.each(['application/xml', 'application/json;q=0', '*/*;q=0', 'text/plain, application/json;q=0.0'])(
    'is 406 before anything is changed: %s',
    async (accept) => {
      const { status, body } = await graphql(running.app, key, mutation, {}, { accept });
      expect([status, body.errors[0].extensions.code]).toEqual([406, 'not_acceptable']);
      const found = await graphql(running.app, key, '{ agents { totalCount } }');
      expect(found.body.data.agents.totalCount).toBe(3);
    },
  );
});

describe('The HTTP status of a result', () => {
  const failed = (...statuses: number[]) => statuses.map((status) => ({ extensions: { status } }));

  it.each([
    [{ data: { a: 1 } }, 200, 200],
    [{ data: { a: 1, b: null }, errors: failed(403) }, 200, 200],
    [{ data: { a: null }, errors: failed(403) }, 200, 200],
    [{ data: null, errors: failed(500) }, 200, 200],
    [{ errors: failed(400) }, 400, 200],
    [{ errors: failed(400, 403) }, 403, 200],
    [{ data: null, errors: failed(503) }, 503, 503],
    [{ data: { a: null, b: null }, errors: failed(503, 503) }, 503, 503],
    [{ data: { a: null, b: null }, errors: failed(503, 403) }, 200, 200],
    [{ data: { a: 1, b: null }, errors: failed(503) }, 200, 200],
    [{ errors: failed(429) }, 429, 429],
    [{ errors: failed(413) }, 413, 413],
    [{ data: { a: null }, errors: failed(504) }, 504, 504],
  ])('of %j is %i, or %i for application/json', (result, ofGraphql, ofJson) => {
    expect([statusOfResult(result, true), statusOfResult(result, false)]).toEqual([ofGraphql, ofJson]);
  });
});

describe('An operation that takes too long', () => {
  it('ends with 504 after the configured timeout', async () => {
    const { services } = running.app;
    const ctx = await openContext(services, { authorization: `Bearer ${key}` }, 'some-request', '127.0.0.1');
    const operation = findOperation(readDocument('{ viewer { name } }'), undefined);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const stuck = { ...operation, run: () => new Promise<never>(() => {}) };
      const outcome = executeOperation(
        stuck,
        ctx,
        { variables: {}, isDryRun: false },
        { ...services, operationMsMax: 5_000 },
        async () => {},
      );
      await vi.advanceTimersByTimeAsync(5_000);
      const { data, errors } = await outcome;
      expect(data).toBeUndefined();
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'timeout', status: 504 });
    } finally {
      vi.useRealTimers();
    }
  });

  it('is a change of its account when it ends after the timeout, so that no older replica is read', async () => {
    const wrote = vi.fn<(accountIds: readonly string[]) => void>();
    const replica = {
      readerFor: () => undefined,
      wrote,
      look: async () => undefined,
      behindMs: () => 0,
      close: () => {},
    };
    const services = { ...running.app.services, replica };
    const ctx = await openContext(services, { authorization: `Bearer ${key}` }, 'some-request', '127.0.0.1');
    const operation = findOperation(
      readDocument('mutation { deleteAgent(input: { id: "x" }) { __typename } }'),
      undefined,
    );
    const slow = { ...operation, run: () => setTimeout(50, { data: {} }) };
    const asked = { variables: {}, isDryRun: false };
    const { errors } = await executeOperation(slow, ctx, asked, { ...services, operationMsMax: 1 }, async () => {});
    expect(errors?.[0]?.extensions).toMatchObject({ status: 504 });
    expect(wrote).toHaveBeenCalledTimes(1);
    await vi.waitFor(() => expect(wrote).toHaveBeenCalledTimes(2));
    expect(wrote).toHaveBeenLastCalledWith([tenant.accountId]);
  });
});

describe('The cost of an operation', () => {
  it('grows with the number of workspaces accessible to the caller', async () => {
    const { app } = running;
    const query = '{ viewer { workspaces { agents(first: 10) { nodes { id } } } } }';
    const wide = await createTenant(app, { account: 'wide', workspaces: ['w-1', 'w-2', 'w-3', 'w-4', 'w-5', 'w-6'] });
    const costOf = async (credential: string) =>
      (await graphql(app, credential, query)).body.extensions.cost.complexity;
    const { key: wideKey } = await createKey(app, wide);
    expect(await costOf(wideKey)).toBeGreaterThan(5 * (await costOf(key)));
  });

  it('is reported with the error', async () => {
    const query =
      '{ vpcs(first: 200) { nodes { egressGateways(first: 200) { nodes { egressIps(first: 200) { nodes { id } } } } } } }';
    const { body } = await graphql(running.app, key, query.replaceAll('egressIps', 'ips'));
    expect(body.data).toBeUndefined();
    expect(body.extensions.cost.complexity).toBeGreaterThan(body.extensions.cost.complexityMax);
  });
});
