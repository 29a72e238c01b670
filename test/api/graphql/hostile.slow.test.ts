// Each hostile request is refused by its status, in JSON, with nothing run and the service as it was.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, useApp } from '../../harness.js';
import { hostileRequests } from './hostile-requests.js';

const running = useApp();
let key: string;

beforeAll(async () => {
  const { app } = running;
  ({ key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] })));
});

const tables = /"(agent|job|vpc|resource_count|usage_event)"/;

describe('A hostile request', () => {
  it('is one of at least a hundred', () => {
    expect(new Set(hostileRequests.map(({ what }) => what)).size).toBeGreaterThanOrEqual(100);
  });

  it.each(hostileRequests)(
    'is rejected with $status: $what',
    async ({ status, method = 'POST', search = '', ...given }) => {
      const { app } = running;
      app.statements.length = 0;
      const response = await fetch(`${app.origin}/graphql${search}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'application/graphql-response+json',
          ...(given.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...given.headers,
        },
        ...(given.body === undefined ? {} : { body: given.body }),
      });
      const answer: { data?: unknown; errors: { message: string; extensions: object }[] } = await response.json();
      expect({ status: response.status, data: answer.data }).toEqual({ status, data: undefined });
      expect(answer.errors.length).toBeGreaterThan(0);
      const requestId = response.headers.get('x-request-id');
      for (const { extensions } of answer.errors)
        expect(extensions).toMatchObject({ code: expect.any(String), requestId });
      expect(app.statements.filter((sql) => tables.test(sql))).toEqual([]);
    },
  );

  it('leaves the service unchanged', async () => {
    const { body } = await graphql(running.app, key, '{ viewer { name } }');
    expect(body.data.viewer.name).toBe('owner@northwind.example.com');
  });
});
