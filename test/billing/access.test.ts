// Access to the metrics of an account, through REST.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';

const running = useApp();
let tenant: Tenant;
let admin: string;
let member: string;
let foreign: string;
const day = 'startTime=2026-11-01T00:00:00Z&endTime=2026-11-02T00:00:00Z';

beforeAll(async () => {
  const { app } = running;
  const { db } = app.services;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'side'] });
  ({ key: admin } = await createKey(app, tenant));
  const other = await createTenant(app, { account: 'southwind', workspaces: ['south'] });
  ({ key: foreign } = await createKey(app, other));
  const person = await db.principal.create({ data: { kind: 'user', name: 'member@northwind.example.com' } });
  const { accountId } = tenant;
  await db.accountMember.create({ data: { accountId, principalId: person.id, role: 'member' } });
  const workspaceId = tenant.workspaces['main'] ?? '';
  await db.workspaceMember.create({ data: { workspaceId, principalId: person.id, role: 'admin' } });
  ({ key: member } = await createKey(app, { accountId, principalId: person.id }));
});

const paths = [`metrics?${day}`, 'metrics/enums/group-by', `metrics/enums/resource-types?${day}`];

describe('The metrics of an account', () => {
  it.each(paths)('are returned to its admin: %s', async (path) => {
    expect((await rest(running.app, `/accounts/${tenant.accountId}/${path}`, { key: admin })).status).toBe(200);
  });

  it.each(paths)('return access_denied to other callers, whether the account exists or not: %s', async (path) => {
    for (const id of [tenant.accountId, crypto.randomUUID(), 'nonsense']) {
      const { status, body } = await rest(running.app, `/accounts/${id}/${path}`, { key: foreign });
      expect({ status, error: body.error }).toEqual({ status: 403, error: 'access_denied' });
    }
  });

  it.each(['workspace=main', 'groupBy=workspace', 'groupBy=resource_type,workspace'])(
    'by workspace are denied to callers who are only workspace admins: %s',
    async (words) => {
      const path = `/accounts/${tenant.accountId}/metrics?${day}&${words}`;
      const refused = await rest(running.app, path, { key: member });
      expect({ status: refused.status, error: refused.body.error }).toEqual({ status: 403, error: 'access_denied' });
      expect((await rest(running.app, path, { key: admin })).status).toBe(200);
    },
  );
});
