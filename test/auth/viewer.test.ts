// A viewer can read everything that is accessible, and change nothing, through any transport.
import { beforeAll, describe, expect, it } from 'vitest';
import { loadAccess } from '../../src/auth/caller-access.js';
import { allowedScopes } from '../../src/auth/grants/scope-request.js';
import { scopes } from '../../src/auth/scopes.js';
import { createKey, createTenant, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addPlatform } from '../platform.js';
import type { Platform } from '../platform.js';

const running = useApp();
let tenant: Tenant;
let platform: Platform;
const keys: Record<string, string> = {};

/** A user with these roles in the account and in the workspace. */
async function somebody(
  name: string,
  account: 'member' | 'viewer',
  workspace?: 'admin' | 'member' | 'viewer',
): Promise<string> {
  const { db } = running.app.services;
  const { id: principalId } = await db.principal.create({ data: { kind: 'user', name } });
  await db.accountMember.create({ data: { accountId: tenant.accountId, principalId, role: account } });
  const workspaceId = tenant.workspaces['viewed'] ?? '';
  if (workspace !== undefined) await db.workspaceMember.create({ data: { workspaceId, principalId, role: workspace } });
  keys[name] = (await createKey(running.app, { accountId: tenant.accountId, principalId })).key;
  return principalId;
}

let viewerId: string;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['viewed', 'hidden'] });
  platform = await addPlatform(app, tenant.workspaces['viewed'] ?? '', 'seen');
  viewerId = await somebody('account-viewer', 'viewer');
  await somebody('workspace-viewer', 'member', 'viewer');
  await somebody('viewer-and-member', 'viewer', 'member');
});

const inViewed = { 'x-service-workspace': 'viewed' };
const globalId = (type: string, id: string) => Buffer.from(`1:${type}:${id}`).toString('base64url');

describe.each(['account-viewer', 'workspace-viewer'])('A viewer (%s)', (who) => {
  it('can read', async () => {
    const { app } = running;
    const key = keys[who] ?? '';
    expect((await rest(app, '/agents', { key, headers: inViewed, version: '2026-04-28' })).body.data).toHaveLength(1);
    const query = `{ viewer { workspaces { name viewerRole } } sandboxes(workspace: "viewed") { nodes { previews { totalCount } } } }`;
    const { body } = await graphql(app, key, query);
    expect(body.errors).toBeUndefined();
    expect(body.data.sandboxes.nodes).toHaveLength(1);
    expect(body.data.viewer.workspaces).toContainEqual({ name: 'viewed', viewerRole: 'VIEWER' });
  });

  it.each([
    ['deleteSandboxPreview', { workspace: 'viewed', sandboxName: 'seen-sandbox', name: 'seen-preview' }],
    ['deleteEgressIp', { workspace: 'viewed', vpcName: 'seen-vpc', gatewayName: 'seen-gateway', name: 'seen-ip' }],
    ['declineImageShare', { id: 'SHARE' }],
    ['createApiKey', { name: 'x', scopes: ['agents:list'] }],
    ['createApiKey', { name: 'x', scopes: ['agents:list'], workspace: 'viewed' }],
  ])('cannot %s %j', async (mutation, input) => {
    const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { result: ${mutation}(input: $input) { __typename } }`;
    const given = 'id' in input ? { id: globalId('ImageShare', platform.ImageShare) } : input;
    const { body } = await graphql(running.app, keys[who], query, { input: given });
    expect(body.errors).toBeUndefined();
    expect(body.data.result.__typename).toBe('ForbiddenError');
  });

  it('cannot write by REST', async () => {
    const key = keys[who] ?? '';
    const del = { key, method: 'DELETE', headers: inViewed };
    expect((await rest(running.app, '/sandboxes/seen-sandbox/previews/seen-preview', del)).status).toBe(403);
    const ip = '/vpcs/seen-vpc/egressgateways/seen-gateway/ips/seen-ip';
    expect((await rest(running.app, ip, del)).status).toBe(403);
  });
});

describe('The roles', () => {
  it('of an account reach all workspaces for a viewer, and only joined workspaces for a member', async () => {
    const workspacesOf = async (who: string) => {
      const { body } = await graphql(running.app, keys[who], '{ viewer { workspaces { name viewerRole } } }');
      return body.data.viewer.workspaces;
    };
    const hidden = { name: 'hidden', viewerRole: 'VIEWER' };
    expect(await workspacesOf('account-viewer')).toEqual([hidden, { name: 'viewed', viewerRole: 'VIEWER' }]);
    expect(await workspacesOf('workspace-viewer')).toEqual([{ name: 'viewed', viewerRole: 'VIEWER' }]);
    expect(await workspacesOf('viewer-and-member')).toEqual([hidden, { name: 'viewed', viewerRole: 'MEMBER' }]);
  });

  it('of a workspace override those of the account', async () => {
    const key = keys['viewer-and-member'] ?? '';
    const del = { key, method: 'DELETE', headers: inViewed };
    expect((await rest(running.app, '/sandboxes/seen-sandbox/previews/seen-preview', del)).status).toBe(200);
  });

  it('of a viewer limit a token to read scopes', async () => {
    const { db } = running.app.services;
    const access = await loadAccess(db, { principalId: viewerId, accountId: tenant.accountId, workspaceId: null });
    if (access === undefined) throw new Error('the viewer reaches nothing');
    const left = allowedScopes([...scopes], access);
    expect(left.filter((name) => !/:(get|list|read)$/.test(name))).toEqual(['admin']);
    expect(left).toContain('metrics:read');
  });
});
