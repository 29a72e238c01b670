// Groups that an identity provider provisions with SCIM, and the roles that they give.
import { beforeAll, describe, expect, it } from 'vitest';
import { deletePrincipal } from '../../../src/accounts/user-changes.js';
import { platformContext } from '../../../src/cli/operator/operator-context.js';
import { createKey, useApp } from '../../harness.js';
import { mutate } from '../../resources/mutations.js';
import { createProvider, groupSchema } from './provider.js';
import type { Provider } from './provider.js';

const running = useApp({ SCIM_DOMAINS: 'acme.example=acme,globex.example=globex' });
const db = () => running.app.services.db;
let acme: Provider;
let globex: Provider;
let admin: string;
let count = 0;
const address = () => `user${++count}@acme.example`;

beforeAll(async () => {
  acme = await createProvider(running.app, 'acme');
  globex = await createProvider(running.app, 'globex');
  ({ key: admin } = await createKey(running.app, acme.tenant));
});

const giveRole = (name: string, role: string, workspace?: string) =>
  mutate(running.app, admin, 'createGroupRole', 'groupRole { name }', { provider: 'scim', name, role, workspace });

async function rolesOf(id: string): Promise<{ account: string | undefined; workspace: string | undefined }> {
  const inAccount = await db().accountMember.findFirst({
    where: { accountId: acme.tenant.accountId, principalId: id },
  });
  const inWorkspace = await db().workspaceMember.findFirst({ where: { principalId: id } });
  return { account: inAccount?.role, workspace: inWorkspace?.role };
}

describe('A provisioned group', () => {
  it('is created with members, read, renamed and deleted, and each step is recorded', async () => {
    const { id } = await acme.create(address());
    const { status, body, headers } = await acme.send('POST', '/Groups', {
      schemas: [groupSchema],
      displayName: 'Engineers',
      externalId: '00g1',
      members: [{ value: id, display: 'somebody' }],
    });
    expect(status).toBe(201);
    const base = `${running.app.config.PUBLIC_URL}/scim/v2`;
    expect(headers.get('location')).toBe(`${base}/Groups/${body.id}`);
    expect(body).toEqual({
      schemas: [groupSchema],
      id: body.id,
      externalId: '00g1',
      displayName: 'Engineers',
      members: [{ value: id, $ref: `${base}/Users/${id}`, type: 'User' }],
      meta: {
        resourceType: 'Group',
        created: '2026-11-20T12:00:00.000Z',
        lastModified: '2026-11-20T12:00:00.000Z',
        location: `${base}/Groups/${body.id}`,
        version: 'W/"1"',
      },
    });
    const path = `/Groups/${body.id}`;
    expect((await acme.send('GET', path)).body).toEqual(body);
    const user = await acme.send('GET', `/Users/${id}`);
    expect(user.body.groups).toEqual([
      { value: body.id, $ref: `${base}${path}`, display: 'Engineers', type: 'direct' },
    ]);
    await acme.patch(path, { op: 'replace', value: { id: body.id, displayName: 'Developers' } });
    expect((await acme.send('GET', `/Users/${id}`)).body.groups[0].display).toBe('Developers');
    expect((await acme.send('DELETE', path)).status).toBe(204);
    expect((await acme.send('GET', path)).status).toBe(404);
    const changes = await db().change.findMany({ where: { kind: 'GROUP' }, orderBy: { sequence: 'asc' } });
    expect(changes.map(({ verb, name, actorName, message }) => [verb, name, actorName, message])).toEqual([
      ['created', 'Engineers', 'acme-directory', 'Created by the identity provider (members: 1)'],
      ['updated', 'Developers', 'acme-directory', 'Updated by the identity provider (changed members: 0)'],
      ['deleted', 'Developers', 'acme-directory', 'Deleted by the identity provider (members: 1)'],
    ]);
  });

  it('gives its members the roles that admins gave to the group, at once', async () => {
    const [ada, bob] = [await acme.create(address()), await acme.create(address())];
    const group = await acme.group('platform', ada.id);
    expect(await rolesOf(ada.id)).toEqual({ account: 'member', workspace: undefined });
    expect((await giveRole('platform', 'ADMIN', 'acme-main')).groupRole.name).toBe('platform');
    expect(await rolesOf(ada.id)).toEqual({ account: 'member', workspace: 'admin' });
    await acme.patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: [{ value: bob.id }] });
    expect(await rolesOf(bob.id)).toEqual({ account: 'member', workspace: 'admin' });
    await giveRole('platform', 'VIEWER');
    expect(await rolesOf(bob.id)).toEqual({ account: 'viewer', workspace: 'admin' });
    await mutate(running.app, admin, 'updateGroupRole', 'groupRole { role }', {
      provider: 'scim',
      name: 'platform',
      role: 'ADMIN',
    });
    expect(await rolesOf(bob.id)).toEqual({ account: 'admin', workspace: 'admin' });
    await acme.patch(`/Groups/${group.id}`, { op: 'remove', path: `members[value eq "${ada.id}"]` });
    expect(await rolesOf(ada.id)).toEqual({ account: 'member', workspace: undefined });
    await acme.patch(`/Groups/${group.id}`, { op: 'replace', path: 'displayName', value: 'renamed' });
    expect(await rolesOf(bob.id)).toEqual({ account: 'member', workspace: undefined });
    await acme.patch(`/Groups/${group.id}`, { op: 'replace', path: 'displayName', value: 'platform' });
    expect(await rolesOf(bob.id)).toEqual({ account: 'admin', workspace: 'admin' });
    await acme.patch(`/Users/${bob.id}`, { op: 'replace', path: 'active', value: false });
    expect(await rolesOf(bob.id)).toEqual({ account: undefined, workspace: undefined });
    await acme.patch(`/Users/${bob.id}`, { op: 'replace', path: 'active', value: true });
    expect(await rolesOf(bob.id)).toEqual({ account: 'admin', workspace: 'admin' });
    await acme.send('DELETE', `/Groups/${group.id}`);
    expect(await rolesOf(bob.id)).toEqual({ account: 'member', workspace: undefined });
  });

  it('gives the highest role of several groups, and leaves memberships that people gave', async () => {
    const { id } = await acme.create(address());
    await giveRole('readers', 'VIEWER', 'acme-main');
    await giveRole('writers', 'MEMBER', 'acme-main');
    const readers = await acme.group('readers', id);
    const writers = await acme.group('writers', id);
    expect((await rolesOf(id)).workspace).toBe('member');
    await acme.send('DELETE', `/Groups/${writers.id}`);
    expect((await rolesOf(id)).workspace).toBe('viewer');
    const { userName } = (await acme.send('GET', `/Users/${id}`)).body;
    await mutate(running.app, admin, 'updateMember', 'member { role }', {
      name: userName,
      workspace: 'acme-main',
      role: 'ADMIN',
    });
    await acme.send('DELETE', `/Groups/${readers.id}`);
    expect((await rolesOf(id)).workspace).toBe('admin');
  });

  it('gives the role of the last admin to the next one, in one change or in two, in both orders of their ids', async () => {
    const { accountId } = globex.tenant;
    const { key } = await createKey(running.app, globex.tenant);
    const [ada, bob] = [await globex.create('ada@globex.example'), await globex.create('bob@globex.example')];
    const group = await globex.group('admins', ada.id);
    const given = { provider: 'scim', name: 'admins', role: 'ADMIN' };
    await mutate(running.app, key, 'createGroupRole', 'groupRole { name }', given);
    const user = { kind: 'user' } as const;
    await db().accountMember.updateMany({
      where: { accountId, principal: user, origin: 'manual' },
      data: { role: 'member' },
    });
    const path = `/Groups/${group.id}`;
    const remove = { op: 'remove', path: 'members' };
    const add = (value: string) => ({ op: 'add', path: 'members', value: [{ value }] });
    for (const [next, ...changes] of [
      [bob.id, [remove, add(bob.id)]],
      [ada.id, [remove, add(ada.id)]],
      [bob.id, [remove], [add(bob.id)]],
      [ada.id, [remove], [add(ada.id)]],
    ] as const) {
      for (const operations of changes) await globex.patch(path, ...operations);
      const admins = await db().accountMember.findMany({ where: { accountId, principal: user, role: 'admin' } });
      expect(admins.map(({ principalId }) => principalId)).toEqual([next]);
    }
  });

  it('has a name of its own in the account, in any case', async () => {
    await acme.group('Unique');
    const again = await acme.send('POST', '/Groups', { schemas: [groupSchema], displayName: 'UNIQUE' });
    expect(again.body).toMatchObject({ status: '409', scimType: 'uniqueness' });
    const other = await acme.group('Other');
    const renamed = await acme.patch(`/Groups/${other.id}`, { op: 'replace', path: 'displayName', value: 'unique' });
    expect(renamed.body).toMatchObject({ status: '409', scimType: 'uniqueness' });
  });

  it('changes nothing, and is not recorded, when a request is repeated', async () => {
    const { id } = await acme.create(address());
    const group = await acme.group('repeated');
    const add = () => acme.patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: [{ value: id }] });
    expect((await add()).headers.get('etag')).toBe('W/"2"');
    expect((await add()).headers.get('etag')).toBe('W/"2"');
    const remove = () => acme.patch(`/Groups/${group.id}`, { op: 'remove', path: `members[value eq "${id}"]` });
    expect((await remove()).headers.get('etag')).toBe('W/"3"');
    expect((await remove()).headers.get('etag')).toBe('W/"3"');
    expect(await db().change.count({ where: { resourceId: group.id } })).toBe(3);
  });

  it('has a new version after one of its users was deleted, by the provider or by the operator', async () => {
    const [one, two] = [await acme.create(address()), await acme.create(address())];
    const { id, meta } = await acme.group('left', one.id, two.id);
    const read = (version: string) => acme.send('GET', `/Groups/${id}`, undefined, { 'if-none-match': version });
    expect((await read(meta.version)).status).toBe(304);
    await acme.send('DELETE', `/Users/${one.id}`);
    const afterOne = await read(meta.version);
    expect(afterOne.body.members.map(({ value }: { value: string }) => value)).toEqual([two.id]);
    const { version } = afterOne.body.meta;
    await deletePrincipal(await platformContext(running.app.services), { kind: 'user', name: two.userName });
    expect((await read(version)).body.members).toEqual([]);
  });

  it('is not changed by a request whose parameters are refused', async () => {
    const { id } = await acme.group('asked for');
    const path = `/Groups/${id}?attributes=displayName&excludedAttributes=members`;
    const put = await acme.send('PUT', path, { schemas: [groupSchema], displayName: 'put' });
    const patch = await acme.patch(path, { op: 'replace', path: 'displayName', value: 'patched' });
    expect([put.status, patch.status]).toEqual([400, 400]);
    expect((await acme.send('GET', `/Groups/${id}`)).body.displayName).toBe('asked for');
  });

  it('has every changed field in the record of a change, and so has a user', async () => {
    const user = await acme.create(address());
    const group = await acme.group('recorded');
    await acme.patch(`/Groups/${group.id}`, { op: 'add', path: 'externalId', value: '00g2' });
    await acme.patch(`/Users/${user.id}`, { op: 'add', path: 'emails', value: [{ value: user.userName }] });
    const where = { resourceId: { in: [group.id, user.id] }, verb: 'updated', message: { startsWith: 'Updated' } };
    const changes = await db().change.findMany({ where, orderBy: { sequence: 'asc' } });
    expect(changes.map(({ fields }) => fields)).toEqual([['externalId'], ['emails']]);
  });

  it('is replaced by PUT with its members', async () => {
    const [one, two] = [await acme.create(address()), await acme.create(address())];
    const group = await acme.group('replaced', one.id);
    const put = await acme.send('PUT', `/Groups/${group.id}`, {
      schemas: [groupSchema],
      displayName: 'replaced',
      members: [{ value: two.id }],
    });
    expect(put.body.members.map(({ value }: { value: string }) => value)).toEqual([two.id]);
  });

  it('is returned by a change of it as the change left it, even if it is deleted at once', async () => {
    const attempts = Array.from({ length: 10 }, async (_, index) => {
      const { id } = await acme.group(`short-lived ${index}`);
      const path = `/Groups/${id}`;
      const [put] = await Promise.all([
        acme.send('PUT', path, { schemas: [groupSchema], displayName: `renamed ${index}` }),
        acme.send('DELETE', path),
      ]);
      const updates = await db().change.count({ where: { resourceId: id, verb: 'updated' } });
      return [put.status, updates];
    });
    const outcomes = await Promise.all(attempts);
    expect([
      [200, 1],
      [404, 0],
    ]).toEqual(expect.arrayContaining(outcomes));
  });

  it.each<[string, object, string]>([
    ['no displayName', { displayName: undefined }, 'invalidValue'],
    ['an empty displayName', { displayName: '' }, 'invalidValue'],
    ['an unknown member', { members: [{ value: '0198a5f0-3c1e-7d52-9b1f-6f1f6d9c2a11' }] }, 'invalidValue'],
    ['a member that is no id', { members: [{ value: 'x' }] }, 'invalidValue'],
    ['a member without a value', { members: [{}] }, 'invalidValue'],
    ['members that are texts', { members: ['x'] }, 'invalidValue'],
    ['a group as a member', { members: [{ value: 'x', type: 'Group' }] }, 'invalidValue'],
    ['the schema of users', { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'] }, 'invalidSyntax'],
  ])('is not created with %s', async (_what, more, scimType) => {
    const before = await db().provisionedGroup.count();
    const { status, body } = await acme.send('POST', '/Groups', {
      schemas: [groupSchema],
      displayName: `refused ${++count}`,
      ...more,
    });
    expect([status, body.scimType]).toEqual([400, scimType]);
    expect(await db().provisionedGroup.count()).toBe(before);
  });
});
