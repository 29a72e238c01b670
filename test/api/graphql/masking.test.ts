// Internal errors are not exposed: GraphQL and REST return a plain 500.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, rest, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';

const running = useApp({}, { ownDatabase: true });
let key: string;
let tenant: Tenant;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  // The table is missing, which causes an unexpected error.
  await app.services.db.$executeRawUnsafe('DROP TABLE "agent"');
});

const inside = /agent"|relation|does not exist|SELECT|prisma|stack|node_modules/i;

describe('An unexpected error', () => {
  it('returns internal_error in GraphQL with only code, status and request id', async () => {
    const { body, headers } = await graphql(running.app, key, '{ agents { nodes { id } } }');
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].extensions).toEqual({
      code: 'internal_error',
      status: 500,
      requestId: headers.get('x-request-id'),
    });
    expect(JSON.stringify(body)).not.toMatch(inside);
  });

  it.each(['2026-04-27', '2026-04-28'])('returns a plain 500 in REST, version %s', async (version) => {
    const { status, body, headers } = await rest(running.app, '/agents', { key, version });
    expect(status).toBe(500);
    expect(body).toEqual({ error: 'internal_error', code: 500, message: expect.any(String) });
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(JSON.stringify(body)).not.toMatch(inside);
  });

  it('does not affect fields that do not need the broken part', async () => {
    const { body } = await graphql(running.app, key, '{ viewer { name } }');
    expect(body.errors).toBeUndefined();
  });

  it('returns a plain 500 before authentication, too', async () => {
    const { app } = running;
    const { key: unseen } = await createKey(app, tenant);
    await app.services.db.$executeRawUnsafe('DROP TABLE "workspace_member"');
    const graph = await graphql(app, unseen, '{ viewer { name } }');
    expect(graph.status).toBe(500);
    expect(graph.body.errors[0].extensions).toMatchObject({ code: 'internal_error', status: 500 });
    const answer = await rest(app, '/agents', { key: unseen });
    expect(answer.status).toBe(500);
    expect(JSON.stringify([graph.body, answer.body])).not.toMatch(inside);
  });
});
