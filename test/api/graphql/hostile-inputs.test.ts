// Each hostile input is rejected by name, and has no effect.
import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, useApp } from '../../harness.js';
import { hostileInputs } from './hostile-inputs.js';

const running = useApp();
let key: string;

beforeAll(async () => {
  const { app } = running;
  ({ key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] })));
});

interface Told {
  message?: string;
}

/** The errors of an answer, those that a mutation answers as data among them. */
function toldIn({ data, errors = [] }: { data?: Record<string, Told | null> | null; errors?: Told[] }): string[] {
  const answered = Object.values(data ?? {}).flatMap((each) => (each?.message === undefined ? [] : [each.message]));
  return [...errors.flatMap(({ message }) => (message === undefined ? [] : [message])), ...answered];
}

describe('A hostile input', () => {
  it.each(hostileInputs)('is rejected: $what', async ({ query, variables, says, headers }) => {
    const { app } = running;
    const { status, body } = await graphql(app, key, query, variables, headers);
    expect([200, 400]).toContain(status);
    const told = toldIn(body);
    expect(told.join()).toMatch(says);
    // An error names the problem, without the whole input.
    expect(JSON.stringify(body).length).toBeLessThan(20_000);
    expect(JSON.stringify(body)).not.toMatch(/internal_error|INTERNAL/);
  });

  it('has no effect', async () => {
    const { db } = running.app.services;
    expect(await Promise.all([db.agent.count(), db.job.count(), db.webhook.count()])).toEqual([0, 0, 0]);
    expect((await graphql(running.app, key, '{ viewer { name } }')).body.errors).toBeUndefined();
  });

  it('in a header of one megabyte returns 431, in GraphQL and REST', async () => {
    for (const path of ['/graphql', '/v0/agents']) {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const sent = request(`${running.app.origin}${path}`, {
          method: path === '/graphql' ? 'POST' : 'GET',
          headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'a'.repeat(1_000_000) },
        });
        sent.on('response', (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on('error', reject);
        sent.end();
      });
      expect(status).toBe(431);
    }
  });
});
