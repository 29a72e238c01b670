// The three changes of the specification, through GraphQL and REST: deleting a preview or an egress IP, declining a
// share. Each is recorded, and of two concurrent callers one succeeds.
import { beforeEach, describe, expect, it } from 'vitest';
import { createKey, createTenant, frozenNow, graphql, rest, useApp } from '../harness.js';
import type { Answer, Tenant } from '../harness.js';
import { insertPreviews } from '../../src/demo/rows/sandbox-input.js';
import { addPlatform, aPreview } from '../platform.js';
import type { Platform } from '../platform.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let platform: Platform;
let count = 0;
let mark: string;

beforeEach(async () => {
  const { app } = running;
  mark = `m${count++}`;
  tenant = await createTenant(app, { account: mark, workspaces: [`${mark}-main`, `${mark}-side`] });
  ({ key } = await createKey(app, tenant));
  platform = await addPlatform(app, tenant.workspaces[`${mark}-main`] ?? '', mark);
});

interface Change {
  name: string;
  method: string;
  path: () => string;
  id: () => string;
  /** The same through GraphQL: a mutation with a selection, and the name of its payload's field. */
  mutation: () => { field: string; input: string; payload: string; variables: Record<string, unknown> };
  event: { type: string; status: string; message: () => string };
  /** The response to a second caller. */
  again: { status: number; error: string; typename: string };
  remaining: () => Promise<number>;
}

const globalId = (type: string, id: string) => Buffer.from(`1:${type}:${id}`).toString('base64url');

const changes: Change[] = [
  {
    name: 'deleting a preview',
    method: 'DELETE',
    path: () => `/sandboxes/${mark}-sandbox/previews/${mark}-preview`,
    id: () => platform.SandboxPreview,
    mutation: () => ({
      field: 'deleteSandboxPreview',
      input: 'DeleteSandboxPreviewInput',
      payload:
        'DeleteSandboxPreviewPayload { changed: sandboxPreview { id metadata { name } events { type message } } }',
      variables: { workspace: `${mark}-main`, sandboxName: `${mark}-sandbox`, name: `${mark}-preview` },
    }),
    event: { type: 'deletion', status: 'DELETED', message: () => `Deleted by owner@${mark}.example.com` },
    again: { status: 404, error: 'not_found', typename: 'NotFoundError' },
    remaining: () => running.app.services.db.sandboxPreview.count({ where: { id: platform.SandboxPreview } }),
  },
  {
    name: 'deleting an egress IP',
    method: 'DELETE',
    path: () => `/vpcs/${mark}-vpc/egressgateways/${mark}-gateway/ips/${mark}-ip`,
    id: () => platform.EgressIp,
    mutation: () => ({
      field: 'deleteEgressIp',
      input: 'DeleteEgressIpInput',
      payload: 'DeleteEgressIpPayload { changed: egressIp { id metadata { name } events { type message } } }',
      variables: {
        workspace: `${mark}-main`,
        vpcName: `${mark}-vpc`,
        gatewayName: `${mark}-gateway`,
        name: `${mark}-ip`,
      },
    }),
    event: { type: 'deletion', status: 'DELETED', message: () => `Deleted by owner@${mark}.example.com` },
    again: { status: 404, error: 'not_found', typename: 'NotFoundError' },
    remaining: () => running.app.services.db.egressIp.count({ where: { id: platform.EgressIp } }),
  },
  {
    name: 'declining a share',
    method: 'POST',
    path: () => `/pending-image-shares/${platform.ImageShare}/decline`,
    id: () => platform.ImageShare,
    mutation: () => ({
      field: 'declineImageShare',
      input: 'DeclineImageShareInput',
      payload: 'DeclineImageSharePayload { changed: imageShare { id status events { type message } } }',
      variables: { id: globalId('ImageShare', platform.ImageShare) },
    }),
    event: { type: 'decline', status: 'declined', message: () => `Declined by owner@${mark}.example.com` },
    again: { status: 409, error: 'share_not_pending', typename: 'ConflictError' },
    remaining: () =>
      running.app.services.db.imageShare.count({ where: { id: platform.ImageShare, status: 'pending' } }),
  },
];

async function byRest(change: Change, by = key): Promise<Answer> {
  const headers = { 'x-service-workspace': `${mark}-main` };
  return rest(running.app, change.path(), { key: by, method: change.method, headers });
}

async function byGraphql(change: Change, by = key): Promise<Answer['body']> {
  const { field, input, payload, variables } = change.mutation();
  const query = `mutation ($input: ${input}!) {
    result: ${field}(input: $input) { __typename ... on Error { code message path } ... on ${payload} }
  }`;
  const { body } = await graphql(running.app, by, query, { input: variables });
  return body;
}

describe.each(changes)('$name', (change) => {
  const recorded = () => running.app.services.db.change.findMany({ where: { resourceId: change.id() } });

  it('returns the resource before the change, with an event of time and actor, and is recorded', async () => {
    const { type, status, message } = change.event;
    const before = await recorded();
    const answer = await byRest(change);
    expect(answer.status).toBe(200);
    expect(answer.body.events.at(-1)).toEqual({ time: frozenNow.toISOString(), type, status, message: message() });
    expect(answer.body.events).toHaveLength(before.length + 1);
    expect(await recorded()).toHaveLength(before.length + 1);
    expect(await change.remaining()).toBe(0);
  });

  it('returns success for a second caller', async () => {
    expect((await byRest(change)).status).toBe(200);
    const second = await byRest(change);
    expect({ status: second.status, error: second.body.error }).toEqual({
      status: change.again.status,
      error: change.again.error,
    });
    expect((await byGraphql(change)).data.result).toMatchObject({
      __typename: change.again.typename,
      code: change.again.error,
    });
  });

  it('is applied once for concurrent callers, through GraphQL and REST', async () => {
    const [rests, graphqls] = await Promise.all([
      Promise.all(Array.from({ length: 6 }, () => byRest(change))),
      Promise.all(Array.from({ length: 6 }, () => byGraphql(change))),
    ]);
    const done = [
      ...rests.map(({ status }) => (status === 200 ? 'done' : status)),
      ...graphqls.map(({ data }) => (data.result.__typename.endsWith('Payload') ? 'done' : change.again.status)),
    ];
    expect(done.filter((each) => each === 'done')).toHaveLength(1);
    expect(done.filter((each) => each === change.again.status)).toHaveLength(11);
    const events = (await recorded()).filter(({ type }) => type === change.event.type);
    expect(events).toHaveLength(1);
  });

  it('is a mutation with the same response', async () => {
    const body = await byGraphql(change);
    expect(body.errors).toBeUndefined();
    expect(body.data.result.changed.events.at(-1)).toEqual({
      type: change.event.type,
      message: change.event.message(),
    });
    expect(await change.remaining()).toBe(0);
  });

  it('returns the error of an unknown resource to another account, and changes nothing', async () => {
    const { app } = running;
    const other = await createTenant(app, { account: `${mark}-other`, workspaces: [`${mark}-else`] });
    const { key: foreign } = await createKey(app, other);
    const headers = { 'x-service-workspace': `${mark}-else` };
    const hidden = await rest(app, change.path(), { key: foreign, method: change.method, headers });
    const missing = await rest(
      app,
      change.path().replaceAll(mark, 'nobody').replace(change.id(), crypto.randomUUID()),
      {
        key: foreign,
        method: change.method,
        headers,
      },
    );
    expect(hidden.status).toBe(404);
    expect({ ...hidden.body, message: '' }).toEqual({ ...missing.body, message: '' });
    const byMutation = (await byGraphql(change, foreign)).data.result;
    expect(['ForbiddenError', 'NotFoundError']).toContain(byMutation.__typename);
    expect(byMutation.message).not.toContain('giver');
    expect(await change.remaining()).toBe(1);
  });

  it('is rejected for another workspace of the same account', async () => {
    if (change.method !== 'DELETE') return;
    const headers = { 'x-service-workspace': `${mark}-side` };
    const { status } = await rest(running.app, change.path(), { key, method: change.method, headers });
    expect(status).toBe(404);
    expect(await change.remaining()).toBe(1);
  });
});

describe('Declining a share', () => {
  const decline = () => `/pending-image-shares/${platform.ImageShare}/decline`;

  it('requires an admin of the target workspace', async () => {
    const { app } = running;
    const { db } = app.services;
    const member = await db.principal.create({ data: { kind: 'user', name: `member@${mark}.example.com` } });
    const workspaceId = tenant.workspaces[`${mark}-main`] ?? '';
    await db.accountMember.create({ data: { accountId: tenant.accountId, principalId: member.id, role: 'member' } });
    await db.workspaceMember.create({ data: { workspaceId, principalId: member.id, role: 'member' } });
    const { key: memberKey } = await createKey(app, { accountId: tenant.accountId, principalId: member.id });
    const refused = await rest(app, decline(), { key: memberKey, method: 'POST' });
    expect({ status: refused.status, error: refused.body.error }).toEqual({ status: 403, error: 'forbidden' });
    await db.workspaceMember.updateMany({ where: { principalId: member.id }, data: { role: 'admin' } });
    // Another key, because the access of the first one is cached for half a second.
    const { key: adminKey } = await createKey(app, { accountId: tenant.accountId, principalId: member.id });
    running.app.clock.now = new Date(frozenNow.getTime() + 60_000);
    const done = await rest(app, decline(), { key: adminKey, method: 'POST' });
    running.app.clock.now = frozenNow;
    expect(done.status).toBe(200);
    expect(done.body).toMatchObject({
      status: 'declined',
      metadata: { decidedBy: member.name, decidedAt: '2026-11-20T12:01:00.000Z' },
    });
  });

  it('removes it from the pending list, and keeps it as a node', async () => {
    const list = `{ pendingImageShares(workspace: "${mark}-main") { totalCount nodes { id status } } }`;
    const before = await graphql(running.app, key, list);
    expect(before.body.data.pendingImageShares).toMatchObject({ totalCount: 1, nodes: [{ status: 'PENDING' }] });
    await rest(running.app, decline(), { key, method: 'POST' });
    const after = await graphql(running.app, key, list);
    expect(after.body.data.pendingImageShares).toEqual({ totalCount: 0, nodes: [] });
    const id = globalId('ImageShare', platform.ImageShare);
    const node = await graphql(running.app, key, `{ node(id: "${id}") { ... on ImageShare { status } } }`);
    expect(node.body.data.node).toEqual({ status: 'DECLINED' });
  });

  it.each(['Agent', 'nonsense'])('rejects a global id of another kind: %s', async (type) => {
    const query =
      'mutation ($id: ID!) { declineImageShare(input: { id: $id }) { ... on Error { __typename code path } ... on InvalidInputError { problems { path code message } } } }';
    const { body } = await graphql(running.app, key, query, { id: globalId(type, platform.Agent) });
    expect(body.data.declineImageShare).toEqual({
      __typename: 'InvalidInputError',
      code: 'invalid_parameter',
      path: ['id'],
      problems: [{ path: ['id'], code: 'invalid_parameter', message: expect.stringMatching(/^id is /) }],
    });
  });
});

describe('A name', () => {
  it('is free again after its preview is deleted', async () => {
    const { app } = running;
    const [deletion] = changes;
    if (deletion === undefined) throw new Error('there is no change');
    await byRest(deletion);
    const workspaceId = tenant.workspaces[`${mark}-main`] ?? '';
    await insertPreviews(app.services.db, app.services.encryption, workspaceId, [
      aPreview(platform.Sandbox, `${mark}-preview`),
    ]);
    const second = await byRest(deletion);
    expect(second.status).toBe(200);
    expect(second.body.events.map(({ type }: { type: string }) => type)).toEqual(['creation', 'deletion']);
  });
});
