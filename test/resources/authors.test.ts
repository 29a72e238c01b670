// The creator and last editor as members: for callers who may see members, and never of another tenant.
import { beforeAll, describe, expect, it } from 'vitest';
import { addAgents, anAgent, createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addPlatform } from '../platform.js';

const running = useApp();
let tenant: Tenant;
let key: string;
const owner = 'owner@northwind.example.com';
const stranger = 'owner@southwind.example.com';

beforeAll(async () => {
  const { app } = running;
  const { db } = app.services;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  await createTenant(app, { account: 'southwind', workspaces: ['south'] });
  ({ key } = await createKey(app, tenant));
  const { main = '' } = tenant.workspaces;
  const robot = await db.principal.create({
    data: { kind: 'service_account', name: 'deployer', displayName: 'Deployer' },
  });
  await db.accountMember.create({ data: { accountId: tenant.accountId, principalId: robot.id, role: 'member' } });
  await db.workspaceMember.create({ data: { workspaceId: main, principalId: robot.id, role: 'member' } });
  const by = (createdBy: string, updatedBy = createdBy) => ({ metadata: { createdBy, updatedBy } });
  await addAgents(app, main, [
    anAgent('of-owner', by(owner, 'deployer')),
    anAgent('of-robot', by('deployer')),
    anAgent('of-stranger', by(stranger)),
    anAgent('of-nobody', by('gone@northwind.example.com')),
    anAgent('unsigned'),
  ]);
  await addPlatform(app, main, 'north');
  await db.sandboxPreview.updateMany({ data: { createdBy: owner } });
  await db.egressGateway.updateMany({ data: { createdBy: 'deployer' } });
});

async function ask(query: string, as = key) {
  const { body } = await graphql(running.app, as, query, {}, { 'x-service-workspace': 'main' });
  return body;
}

describe('The creator of a resource', () => {
  it('is a member, in addition to the name in the metadata', async () => {
    const body = await ask(
      '{ agent(name: "of-owner") { metadata { createdBy } creator { name kind role isInherited } updater { name displayName kind role } } }',
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.agent).toEqual({
      metadata: { createdBy: owner },
      creator: { name: owner, kind: 'USER', role: 'ADMIN', isInherited: true },
      updater: { name: 'deployer', displayName: 'Deployer', kind: 'SERVICE_ACCOUNT', role: 'MEMBER' },
    });
  });

  it('is null without a member: of another tenant, deleted, or unknown', async () => {
    const body = await ask(
      '{ agents(orderBy: { field: NAME, direction: ASC }) { nodes { metadata { name createdBy } creator { name } } } }',
    );
    expect(body.errors).toBeUndefined();
    const rows = body.data.agents.nodes.map(
      ({ metadata, creator }: { metadata: { name: string; createdBy: string }; creator: object | null }) => [
        metadata.name,
        metadata.createdBy,
        creator,
      ],
    );
    expect(rows).toEqual([
      ['north-agent', null, null],
      ['of-nobody', 'gone@northwind.example.com', null],
      ['of-owner', owner, { name: owner }],
      ['of-robot', 'deployer', { name: 'deployer' }],
      ['of-stranger', stranger, null],
      ['unsigned', null, null],
    ]);
  });

  it('is returned for previews and egress gateways as well', async () => {
    const body = await ask(`{
      sandbox(name: "north-sandbox") { creator { name } previews { nodes { creator { name } updater { name } } } }
      vpc(name: "north-vpc") { egressGateways { nodes { creator { name } ips { nodes { creator { name } } } } } }
    }`);
    expect(body.errors).toBeUndefined();
    expect(body.data.sandbox).toEqual({
      creator: null,
      previews: { nodes: [{ creator: { name: owner }, updater: null }] },
    });
    expect(body.data.vpc.egressGateways.nodes).toEqual([
      { creator: { name: 'deployer' }, ips: { nodes: [{ creator: null }] } },
    ]);
  });

  it('is only a name for callers who may not see members', async () => {
    const { key: narrow } = await createKey(running.app, { ...tenant, scope: 'agents:get' });
    const body = await ask('{ agent(name: "of-owner") { metadata { createdBy } creator { name } } }', narrow);
    expect(body.data.agent).toEqual({ metadata: { createdBy: owner }, creator: null });
    expect(body.errors).toMatchObject([{ path: ['agent', 'creator'], extensions: { code: 'forbidden' } }]);
  });

  it('takes one statement for a page with several authors', async () => {
    running.app.statements.length = 0;
    await ask('{ agents { nodes { creator { name } updater { name } } } }');
    expect(running.app.statements.filter((sql) => sql.includes('"account_member" AS am JOIN'))).toHaveLength(1);
  });
});
