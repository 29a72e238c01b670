// Documents that are named instead of sent: automatic persisted queries, and those that the operator trusts.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../../../src/config.js';
import { readTrustedDocuments } from '../../../../src/server/trusted-documents.js';
import { createKey, createTenant, startOn, freshDatabase, useApp } from '../../../harness.js';
import type { TestApp } from '../../../harness.js';

const running = useApp();
let key: string;

beforeAll(async () => {
  const tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(running.app, tenant));
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const named = (sha256Hash: unknown, version: unknown = 1) => ({ persistedQuery: { version, sha256Hash } });

async function post(app: TestApp, body: unknown, as: string, accept = 'application/json') {
  const response = await fetch(`${app.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${as}`, accept },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

describe('An empty operationName', () => {
  const accepts = ['application/json', 'text/plain, application/json'];

  it.each(accepts)('names no operation, for a client that accepts %s', async (accept) => {
    const one = await post(running.app, { query: 'query A { viewer { name } }', operationName: '' }, key, accept);
    expect(one.body).toMatchObject({ data: { viewer: { name: 'owner@northwind.example.com' } } });
    const query = 'query A { viewer { name } } query B { viewer { name } }';
    const two = await post(running.app, { query, operationName: '' }, key, accept);
    expect(two.body.errors).toMatchObject([
      { message: expect.stringMatching(/Set operationName|determine what operation/) },
    ]);
  });

  it('names no operation in a GET', async () => {
    const search = new URLSearchParams({ query: 'query A { viewer { name } }', operationName: '' });
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${running.app.origin}/graphql?${search}`, { headers });
    expect(await response.json()).toMatchObject({ data: { viewer: { name: 'owner@northwind.example.com' } } });
  });
});

describe('An automatic persisted query', () => {
  it('is unknown at first, is sent once with its text, and is then known, with other variables too', async () => {
    const query = 'query Who($yes: Boolean!) { viewer { name @include(if: $yes) } }';
    const extensions = named(sha256(query));
    const first = await post(running.app, { variables: { yes: true }, extensions }, key);
    expect(first.status).toBe(200);
    expect(first.body.errors).toMatchObject([
      { message: 'PersistedQueryNotFound', extensions: { code: 'persisted_query_not_found' } },
    ]);
    const second = await post(running.app, { query, variables: { yes: true }, extensions }, key);
    expect(second.body.data.viewer.name).toBe('owner@northwind.example.com');
    const third = await post(running.app, { operationName: 'Who', variables: { yes: false }, extensions }, key);
    expect(third.body.data).toEqual({ viewer: {} });
  });

  it('works over GET as well', async () => {
    const query = '{ viewer { __typename name } }';
    const get = async (parameters: Record<string, string>) => {
      const search = new URLSearchParams({ ...parameters, extensions: JSON.stringify(named(sha256(query))) });
      const headers = { authorization: `Bearer ${key}` };
      return (await fetch(`${running.app.origin}/graphql?${search}`, { headers })).json();
    };
    expect(await get({})).toMatchObject({ errors: [{ message: 'PersistedQueryNotFound' }] });
    expect(await get({ query })).toMatchObject({ data: { viewer: { __typename: 'Viewer' } } });
    expect(await get({})).toMatchObject({ data: { viewer: { __typename: 'Viewer' } } });
  });

  it.each([
    ['a hash of another text', { query: '{ viewer { name } }', extensions: named(sha256('another')) }],
    [
      'a version that there is not',
      { query: '{ viewer { name } }', extensions: named(sha256('{ viewer { name } }'), 2) },
    ],
    ['a hash that is no text', { query: '{ viewer { name } }', extensions: named(1) }],
    ['neither a query nor a hash', { extensions: {} }],
    ['a documentId of nothing', { documentId: 'nothing' }],
  ])('with %s returns 400, and is not stored', async (_, body) => {
    const { status, body: answer } = await post(running.app, body, key, 'application/graphql-response+json');
    expect([status, answer.data, answer.errors.length]).toEqual([400, undefined, 1]);
    const again = await post(running.app, { extensions: named(sha256('another')) }, key);
    expect(again.body.errors).toMatchObject([{ extensions: { code: 'persisted_query_not_found' } }]);
  });

  it('that is known returns 400 with another text, and remains known', async () => {
    const query = '{ viewer { known: name } }';
    const extensions = named(sha256(query));
    await post(running.app, { query, extensions }, key);
    for (const accept of ['application/graphql-response+json', 'text/plain, application/graphql-response+json']) {
      const { status, body } = await post(running.app, { query: '{ viewer { name } }', extensions }, key, accept);
      expect([status, body.errors]).toMatchObject([
        400,
        [{ message: 'extensions.persistedQuery.sha256Hash does not match the query.' }],
      ]);
    }
    for (const body of [{ extensions }, { query, extensions }]) {
      expect((await post(running.app, body, key)).body.data.viewer).toHaveProperty('known');
    }
  });

  it('requires a credential', async () => {
    const query = '{ viewer { id: name } }';
    const refused = await post(running.app, { query, extensions: named(sha256(query)) }, 'wcp_none');
    expect(refused.status).toBe(401);
    const { body } = await post(running.app, { extensions: named(sha256(query)) }, key);
    expect(body.errors).toMatchObject([{ message: 'PersistedQueryNotFound' }]);
  });
});

describe('Trusted documents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: unknown) => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const trusted = 'query Trusted { viewer { name } }';

  it('run by their id or hash, and exclude all others if configured', async () => {
    const path = write('documents.json', { 'trusted-1': trusted, [sha256(trusted)]: trusted });
    const { settings, remove } = await freshDatabase();
    const environment = { ...settings, GRAPHQL_TRUSTED_DOCUMENTS: path, GRAPHQL_DOCUMENTS: 'trusted' };
    const { app, stop } = await startOn(environment);
    try {
      const { key: own } = await createKey(
        app,
        await createTenant(app, { account: 'northwind', workspaces: ['main'] }),
      );
      const data = { viewer: { name: 'owner@northwind.example.com' } };
      for (const body of [{ documentId: 'trusted-1' }, { extensions: named(sha256(trusted)) }, { query: trusted }]) {
        expect((await post(app, body, own)).body.data).toEqual(data);
      }
      const other = '{ viewer { name } }';
      for (const body of [{ documentId: 'trusted-1' }, { extensions: named(sha256(trusted)) }]) {
        expect((await post(app, { ...body, query: trusted }, own)).body.data).toEqual(data);
        const { body: answer } = await post(app, { ...body, query: other }, own);
        expect(answer.errors).toMatchObject([{ message: expect.stringMatching(/does not match the query\.$/) }]);
      }
      const extensions = named(sha256(other));
      for (const body of [{ query: other }, { query: other, extensions }, { documentId: other }]) {
        const { body: answer } = await post(app, body, own);
        expect(answer.errors).toMatchObject([{ extensions: { code: 'document_not_trusted', status: 400 } }]);
      }
      const search = new URLSearchParams({ query: other });
      const headers = { authorization: `Bearer ${own}` };
      const got = await (await fetch(`${app.origin}/graphql?${search}`, { headers })).json();
      expect(got.errors).toMatchObject([{ extensions: { code: 'document_not_trusted' } }]);
      const watch = { query: 'subscription { changes { cursor } }' };
      expect((await post(app, watch, own)).body.errors).toMatchObject([
        { extensions: { code: 'document_not_trusted' } },
      ]);
    } finally {
      await stop();
      await remove();
    }
  });

  it('run by their id whatever media types the client accepts, with a query in the URL, and over GET', async () => {
    const subscription = 'subscription Watch { changes { cursor } }';
    const mutation = 'mutation Leave { deleteAgent(input: { workspace: "main", name: "a" }) { __typename } }';
    const path = write('requests.json', { one: trusted, subscription, mutation });
    const { settings, remove } = await freshDatabase();
    const { app, stop } = await startOn({ ...settings, GRAPHQL_TRUSTED_DOCUMENTS: path, GRAPHQL_DOCUMENTS: 'trusted' });
    try {
      const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
      const { key: own } = await createKey(app, tenant);
      const send = (search: string, accept: string, body?: object) =>
        fetch(`${app.origin}/graphql${search}`, {
          headers: { authorization: `Bearer ${own}`, accept, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        });
      const data = { viewer: { name: 'owner@northwind.example.com' } };
      const newType = 'application/graphql-response+json';
      for (const [search, accept, body, type = newType] of [
        ['', `${newType}, application/json;q=0.9`, { documentId: 'one' }],
        ['', `application/json;q=0, ${newType}`, { documentId: 'one' }],
        ['', 'multipart/mixed, application/json', { documentId: 'one' }, 'application/json'],
        ['?op=Trusted', newType, { documentId: 'one', operationName: '' }],
        ['?documentId=one', newType],
        ['?documentId=one&operationName=Trusted', newType],
      ] satisfies [string, string, object?, string?][]) {
        const response = await send(search, accept, body);
        const { data: found } = await response.json();
        expect([search, accept, response.status, found]).toEqual([search, accept, 200, data]);
        expect(response.headers.get('content-type')).toContain(type);
      }
      const stream = await send('?documentId=subscription', 'text/event-stream');
      expect([stream.status, stream.headers.get('content-type')]).toEqual([
        200,
        expect.stringContaining('event-stream'),
      ]);
      await stream.body?.cancel();
      expect((await send('?documentId=mutation', newType)).status).toBe(405);
      const unknown = await send('?documentId=none', newType);
      expect([unknown.status, await unknown.json()]).toMatchObject([
        400,
        { errors: [{ extensions: { code: 'document_not_trusted' } }] },
      ]);
    } finally {
      await stop();
      await remove();
    }
  });

  it('that are invalid stop the start with their id', async () => {
    const path = write('broken.json', { good: trusted, bad: '{ viewer { nothing } }' });
    const { settings, remove } = await freshDatabase();
    await expect(startOn({ ...settings, GRAPHQL_TRUSTED_DOCUMENTS: path })).rejects.toThrow(
      new ConfigError(
        'GRAPHQL_TRUSTED_DOCUMENTS: the document bad cannot be executed: Cannot query field "nothing" on type "Viewer".',
      ),
    );
    await remove();
  });

  it('have no limits of size, which the documents of others have', async () => {
    const big = Array.from({ length: 70 }, (_, index) => `query q${index} { viewer { name } }`).join('\n');
    const long = `query Long { viewer { name } } #${'x'.repeat(300_000)}`;
    const path = write('big.json', { big, long });
    const { settings, remove } = await freshDatabase();
    const { app, stop } = await startOn({ ...settings, GRAPHQL_TRUSTED_DOCUMENTS: path });
    try {
      const { key: own } = await createKey(
        app,
        await createTenant(app, { account: 'northwind', workspaces: ['main'] }),
      );
      const data = { viewer: { name: 'owner@northwind.example.com' } };
      expect((await post(app, { documentId: 'big', operationName: 'q69' }, own)).body.data).toEqual(data);
      expect((await post(app, { documentId: 'long' }, own)).body.data).toEqual(data);
      const { body } = await post(app, { query: `${big} query q70 { viewer { name } }`, operationName: 'q69' }, own);
      expect(body.errors).toMatchObject([{ extensions: { code: 'query_too_complex', limit: 60, actual: 71 } }]);
    } finally {
      await stop();
      await remove();
    }
  });

  it('can be a JSON file of texts by id, or Apollo’s manifest', () => {
    const operations = [{ id: 'a', name: 'Trusted', type: 'query', body: trusted }];
    const manifest = { format: 'apollo-persisted-query-manifest', version: 1, operations };
    expect(readTrustedDocuments(write('manifest.json', manifest))).toEqual(new Map([['a', trusted]]));
    expect(readTrustedDocuments(write('ids.json', { a: trusted }))).toEqual(new Map([['a', trusted]]));
    expect(readTrustedDocuments(undefined)).toEqual(new Map());
    for (const content of ['{', '[]', '{"a": 1}', '{"a": ""}']) {
      expect(() => readTrustedDocuments(write('bad.json', content))).toThrow(/GRAPHQL_TRUSTED_DOCUMENTS: .*bad\.json/);
    }
    expect(() => readTrustedDocuments(join(folder, 'none.json'))).toThrow(/GRAPHQL_TRUSTED_DOCUMENTS/);
  });
});
