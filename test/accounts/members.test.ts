// Members who join, change roles and leave: by invitation, by an admin, and by themselves.
import { beforeAll, describe, expect, it } from 'vitest';
import { endMembership } from '../../src/auth/membership.js';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import type { Answer, Tenant } from '../harness.js';
import { historyOf, mutate, startedInTurn } from '../resources/mutations.js';

const running = useApp();
let northwind: Tenant;
let southwind: Tenant;
let owner: string;
let foreigner: string;

const db = () => running.app.services.db;
const act = (key: string, mutation: string, input: object, fields: string) =>
  mutate(running.app, key, mutation, fields, input);

beforeAll(async () => {
  const { app } = running;
  northwind = await createTenant(app, { account: 'northwind', workspaces: ['main', 'side'] });
  southwind = await createTenant(app, { account: 'southwind', workspaces: ['elsewhere'] });
  ({ key: owner } = await createKey(app, northwind));
  ({ key: foreigner } = await createKey(app, southwind));
});

interface Somebody {
  id: string;
  name: string;
  key: string;
}

let people = 0;

type Role = 'admin' | 'member' | 'viewer';

/** A user with these roles in northwind. */
async function somebody(account: Role, main?: Role): Promise<Somebody> {
  const name = `person-${++people}@example.com`;
  const { accountId } = northwind;
  const { id } = await db().principal.create({ data: { kind: 'user', name } });
  await db().accountMember.create({ data: { accountId, principalId: id, role: account } });
  const workspaceId = northwind.workspaces['main'] ?? '';
  if (main !== undefined) await db().workspaceMember.create({ data: { workspaceId, principalId: id, role: main } });
  return { id, name, key: (await createKey(running.app, { accountId, principalId: id })).key };
}

/** A user of another account, whom northwind does not know. */
async function stranger(): Promise<Somebody> {
  const name = `person-${++people}@example.com`;
  const { id } = await db().principal.create({ data: { kind: 'user', name } });
  const { accountId } = southwind;
  await db().accountMember.create({ data: { accountId, principalId: id, role: 'member' } });
  return { id, name, key: (await createKey(running.app, { accountId, principalId: id })).key };
}

async function invite(email: string, more: object = { workspace: 'main' }, key = owner): Promise<string> {
  const answer = await act(key, 'inviteMember', { email, role: 'MEMBER', ...more }, 'invitation { id }');
  expect(answer).toMatchObject({ __typename: 'InviteMemberPayload' });
  return answer.invitation.id;
}

const accept = (key: string, id: string) => act(key, 'acceptInvitation', { id }, 'invitation { status role }');

async function rolesOf({ id }: Somebody): Promise<{ account: string | undefined; main: string | undefined }> {
  const inAccount = await db().accountMember.findFirst({ where: { principalId: id, accountId: northwind.accountId } });
  const workspaceId = northwind.workspaces['main'] ?? '';
  const inMain = await db().workspaceMember.findFirst({ where: { principalId: id, workspaceId } });
  return { account: inAccount?.role, main: inMain?.role };
}

async function query(key: string, text: string): Promise<Answer['body']> {
  return (await graphql(running.app, key, text)).body;
}

describe('An invitation', () => {
  it('is visible to the invited user, and makes them a member once', async () => {
    const ada = await stranger();
    const id = await invite(ada.name.toUpperCase(), { workspace: 'main' });
    const seen = await query(
      ada.key,
      '{ viewer { invitations { id email role status accountName workspaceName invitedBy expiresAt } } }',
    );
    expect(seen.data.viewer.invitations).toEqual([
      {
        id,
        email: ada.name,
        role: 'MEMBER',
        status: 'PENDING',
        accountName: 'northwind',
        workspaceName: 'main',
        invitedBy: 'owner@northwind.example.com',
        expiresAt: '2026-11-27T12:00:00.000Z',
      },
    ]);
    expect(await accept(ada.key, id)).toMatchObject({ invitation: { status: 'ACCEPTED', role: 'MEMBER' } });
    expect(await rolesOf(ada)).toEqual({ account: 'member', main: 'member' });
    expect(await accept(ada.key, id)).toMatchObject({ __typename: 'ConflictError', code: 'conflict' });
    expect((await query(ada.key, '{ viewer { invitations { id } } }')).data.viewer.invitations).toEqual([]);
    const { key } = await createKey(running.app, { accountId: northwind.accountId, principalId: ada.id });
    const reached = await query(key, '{ viewer { workspaces { name viewerRole } } }');
    expect(reached.data.viewer.workspaces).toEqual([{ name: 'main', viewerRole: 'MEMBER' }]);
  });

  it('accepts one of several concurrent responses', async () => {
    const ada = await stranger();
    const id = await invite(ada.name);
    const answers = await startedInTurn(running.app, northwind.accountId, [
      () => accept(ada.key, id),
      () => act(ada.key, 'declineInvitation', { id }, 'invitation { status }'),
      () => accept(ada.key, id),
    ]);
    expect(answers.map((answer) => answer.__typename).toSorted()).toEqual([
      'AcceptInvitationPayload',
      'ConflictError',
      'ConflictError',
    ]);
  });

  it('does not reveal whether a user of that name exists', async () => {
    const known = await stranger();
    const fields = 'invitation { status role accountName workspaceName invitedBy createdAt expiresAt decidedAt }';
    const input = { workspace: 'main', role: 'VIEWER' };
    const one = await act(owner, 'inviteMember', { ...input, email: known.name }, fields);
    const other = await act(owner, 'inviteMember', { ...input, email: 'nobody-here@example.com' }, fields);
    expect(one).toEqual(other);
  });

  it('waits until a user of that name exists', async () => {
    const id = await invite('later@example.com', {});
    const { id: principalId } = await db().principal.create({ data: { kind: 'user', name: 'later@example.com' } });
    await db().accountMember.create({ data: { accountId: southwind.accountId, principalId, role: 'viewer' } });
    const { key } = await createKey(running.app, { accountId: southwind.accountId, principalId });
    expect(await accept(key, id)).toMatchObject({ invitation: { status: 'ACCEPTED' } });
    expect(await rolesOf({ id: principalId, name: '', key })).toEqual({ account: 'member', main: undefined });
  });

  it('can be declined, and then sent again', async () => {
    const ada = await stranger();
    const id = await invite(ada.name);
    const declined = await act(ada.key, 'declineInvitation', { id }, 'invitation { status decidedAt }');
    expect(declined.invitation).toEqual({ status: 'DECLINED', decidedAt: frozenNow.toISOString() });
    expect(await accept(ada.key, id)).toMatchObject({ code: 'conflict' });
    expect(await rolesOf(ada)).toEqual({ account: undefined, main: undefined });
    expect(await accept(ada.key, await invite(ada.name))).toMatchObject({ invitation: { status: 'ACCEPTED' } });
  });

  it('expires', async () => {
    const { app } = running;
    const ada = await stranger();
    const id = await invite(ada.name, { workspace: 'main', expiresInDays: 1 });
    app.clock.now = new Date(frozenNow.getTime() + 24 * 60 * 60_000);
    try {
      expect(await accept(ada.key, id)).toMatchObject({
        code: 'conflict',
        message: 'The invitation can no longer be answered (status: expired).',
      });
      const listed = await query(
        owner,
        '{ workspace(name: "main") { invitations(status: EXPIRED) { nodes { email status } } } }',
      );
      expect(listed.data.workspace.invitations.nodes).toContainEqual({ email: ada.name, status: 'EXPIRED' });
      await invite(ada.name);
    } finally {
      app.clock.now = frozenNow;
    }
    expect(await rolesOf(ada)).toEqual({ account: undefined, main: undefined });
  });

  it('can be withdrawn', async () => {
    const ada = await stranger();
    const id = await invite(ada.name);
    const revoked = await act(owner, 'revokeInvitation', { id }, 'invitation { status }');
    expect(revoked).toMatchObject({ invitation: { status: 'REVOKED' } });
    expect(await accept(ada.key, id)).toMatchObject({ code: 'conflict' });
  });

  it('returns the error of an unknown invitation to every other user', async () => {
    const ada = await stranger();
    const mallory = await stranger();
    const id = await invite(ada.name);
    for (const mutation of ['acceptInvitation', 'declineInvitation', 'revokeInvitation']) {
      const answer = await act(mallory.key, mutation, { id }, '__typename');
      expect(answer).toMatchObject({ __typename: 'NotFoundError', code: 'not_found' });
    }
    expect((await query(mallory.key, `{ node(id: "${id}") { id } }`)).data.node).toBeNull();
    expect((await query(foreigner, `{ node(id: "${id}") { id } }`)).data.node).toBeNull();
    expect((await query(owner, `{ node(id: "${id}") { id } }`)).data.node).toEqual({ id });
    const unknown = Buffer.from('1:Invitation:00000000-0000-4000-8000-000000000000').toString('base64url');
    expect(await accept(ada.key, unknown)).toMatchObject({ code: 'not_found' });
  });

  it.each([
    ['a name that is no address', { email: 'ada' }, 'InvalidInputError'],
    ['an address with an invisible character', { email: 'a\u200Bda@example.com' }, 'InvalidInputError'],
    ['an address that is too long', { email: `${'a'.repeat(300)}@example.com` }, 'InvalidInputError'],
    ['no time to answer', { expiresInDays: 0 }, 'InvalidInputError'],
    ['more than thirty days', { expiresInDays: 31 }, 'InvalidInputError'],
    ['a workspace out of reach', { workspace: 'elsewhere' }, 'ForbiddenError'],
    ['a user who is already a member', { workspace: null, email: 'OWNER@northwind.example.com' }, 'ConflictError'],
  ])('rejects %s', async (_what, input, typename) => {
    const before = await db().invitation.count();
    const valid = { workspace: 'main', email: 'new@example.com', role: 'MEMBER' };
    const answer = await act(owner, 'inviteMember', { ...valid, ...input }, '__typename');
    expect(answer.__typename).toBe(typename);
    expect(await db().invitation.count()).toBe(before);
  });

  it('is the only pending invitation for its name and tenant', async () => {
    const ada = await stranger();
    await invite(ada.name, { workspace: 'main' });
    const again = { workspace: 'main', email: ada.name, role: 'ADMIN' };
    expect(await act(owner, 'inviteMember', again, '__typename')).toMatchObject({ code: 'conflict' });
    await invite(ada.name, { workspace: 'side' });
    await invite(ada.name, {});
  });

  it('requires an admin of the workspace or, for the account, an admin of the account', async () => {
    const admin = await somebody('member', 'admin');
    const member = await somebody('member', 'member');
    await invite('guest@example.com', { workspace: 'main' }, admin.key);
    const intoAccount = { email: 'other@example.com', role: 'MEMBER' };
    expect(await act(admin.key, 'inviteMember', intoAccount, '__typename')).toMatchObject({ code: 'forbidden' });
    for (const key of [member.key, foreigner]) {
      const input = { ...intoAccount, workspace: 'main' };
      expect(await act(key, 'inviteMember', input, '__typename')).toMatchObject({ code: 'forbidden' });
    }
    const { key: confined } = await createKey(running.app, {
      ...northwind,
      workspaceId: northwind.workspaces['main'] ?? '',
    });
    expect(await act(confined, 'inviteMember', intoAccount, '__typename')).toMatchObject({ code: 'forbidden' });
  });

  it('ends when its creator may no longer invite', async () => {
    const admin = await somebody('admin');
    const ada = await stranger();
    const grace = await stranger();
    const adas = await invite(ada.name, { workspace: 'main', role: 'ADMIN' }, admin.key);
    await act(owner, 'updateMember', { name: admin.name, role: 'MEMBER' }, 'member { role }');
    expect(await accept(ada.key, adas)).toMatchObject({ code: 'conflict' });
    await act(owner, 'updateMember', { name: admin.name, role: 'ADMIN' }, 'member { role }');
    // Neither does the demotion end an invitation to the same person, to another workspace of the account.
    const own = await invite(admin.name, { workspace: 'side', role: 'MEMBER' });
    await act(owner, 'updateMember', { name: admin.name, role: 'MEMBER' }, 'member { role }');
    // With a key of its own: the process remembers for half a second that a key is of a member or of an admin.
    const { key } = await createKey(running.app, { accountId: northwind.accountId, principalId: admin.id });
    expect(await accept(key, own)).toMatchObject({ invitation: { status: 'ACCEPTED' } });
    await act(owner, 'updateMember', { name: admin.name, role: 'ADMIN' }, 'member { role }');
    const graces = await invite(grace.name, {}, admin.key);
    await act(owner, 'removeMember', { name: admin.name }, 'member { role }');
    expect(await accept(grace.key, graces)).toMatchObject({ code: 'conflict' });
  });
});

describe('A member', () => {
  it('keeps their credentials when their role changes', async () => {
    const ada = await somebody('member', 'member');
    const changed = await act(
      owner,
      'updateMember',
      { workspace: 'main', name: ada.name, role: 'VIEWER' },
      'member { name role isInherited memberSince }',
    );
    expect(changed.member).toMatchObject({ name: ada.name, role: 'VIEWER', isInherited: false });
    expect(await rolesOf(ada)).toEqual({ account: 'member', main: 'viewer' });
    expect(await db().apiKey.count({ where: { principalId: ada.id, revokedAt: null } })).toBe(1);
  });

  it('loses keys, tokens and memberships of the account on removal, and does not regain them on return', async () => {
    const ada = await somebody('member', 'member');
    const place = { principalId: ada.id, accountId: northwind.accountId };
    const issuedAt = frozenNow;
    const expiresAt = new Date(frozenNow.getTime() + 60_000);
    const token = { ...place, scope: 'admin', issuedAt, expiresAt };
    const { id: tokenId } = await db().accessToken.create({ data: { id: crypto.randomUUID(), ...token } });
    const removed = await act(owner, 'removeMember', { name: ada.name }, 'member { name role }');
    expect(removed.member).toEqual({ name: ada.name, role: 'MEMBER' });
    expect(await rolesOf(ada)).toEqual({ account: undefined, main: undefined });
    await accept((await strangerOf(ada)).key, await invite(ada.name));
    expect(await rolesOf(ada)).toEqual({ account: 'member', main: 'member' });
    await expect.poll(async () => (await graphql(running.app, ada.key, '{ viewer { name } }')).status).toBe(401);
    expect((await db().accessToken.findUniqueOrThrow({ where: { id: tokenId } })).revokedAt).toEqual(frozenNow);
  });

  /** The same user, with a credential of another account. */
  async function strangerOf({ id, name }: Somebody): Promise<Somebody> {
    const { accountId } = southwind;
    await db().accountMember.create({ data: { accountId, principalId: id, role: 'member' } });
    return { id, name, key: (await createKey(running.app, { accountId, principalId: id })).key };
  }

  it('cannot return through an invitation from before their removal', async () => {
    const ada = await somebody('member', 'member');
    const id = await invite(ada.name, { workspace: 'side' });
    await act(owner, 'removeMember', { name: ada.name }, 'member { name }');
    expect(await accept((await strangerOf(ada)).key, id)).toMatchObject({ code: 'conflict' });
  });

  it('of a workspace only loses the credentials that are confined to it', async () => {
    const ada = await somebody('member', 'member');
    const place = { accountId: northwind.accountId, principalId: ada.id };
    const { id } = await createKey(running.app, { ...place, workspaceId: northwind.workspaces['main'] ?? '' });
    await act(owner, 'removeMember', { workspace: 'main', name: ada.name }, 'member { name }');
    expect(await rolesOf(ada)).toEqual({ account: 'member', main: undefined });
    const keys = await db().apiKey.findMany({ where: { principalId: ada.id }, orderBy: { createdAt: 'asc' } });
    expect(keys.filter(({ revokedAt }) => revokedAt !== null).map((key) => key.id)).toEqual([id]);
  });

  it('can leave a workspace and the account, whatever their role', async () => {
    const ada = await somebody('member', 'viewer');
    const left = await act(ada.key, 'leaveWorkspace', { workspace: 'main' }, 'member { name role }');
    expect(left.member).toEqual({ name: ada.name, role: 'VIEWER' });
    expect(await rolesOf(ada)).toEqual({ account: 'member', main: undefined });
    expect(await act(ada.key, 'leaveAccount', {}, 'member { role }')).toMatchObject({ member: { role: 'MEMBER' } });
    expect(await rolesOf(ada)).toEqual({ account: undefined, main: undefined });
    await expect.poll(async () => (await graphql(running.app, ada.key, '{ viewer { name } }')).status).toBe(401);
  });

  it('with access through their account role cannot be removed from a workspace only', async () => {
    const admin = await somebody('admin');
    for (const [mutation, input] of [
      ['removeMember', { workspace: 'main', name: admin.name }],
      ['updateMember', { workspace: 'main', name: admin.name, role: 'VIEWER' }],
    ] as const) {
      expect(await act(owner, mutation, input, '__typename')).toMatchObject({
        code: 'not_found',
        message: `${admin.name} has access to the workspace main as admin of the account, not as a member of it. Change the role in the account.`,
      });
    }
    expect(await act(admin.key, 'leaveWorkspace', { workspace: 'main' }, '__typename')).toMatchObject({
      code: 'not_found',
    });
  });

  it.each(['nobody@example.com', 'owner@southwind.example.com', '', '\u0000', 'a'.repeat(2_000)])(
    'is required: %j is not one',
    async (name) => {
      for (const [mutation, more] of [
        ['removeMember', {}],
        ['updateMember', { role: 'VIEWER' }],
      ] as const) {
        const answer = await act(owner, mutation, { name, ...more }, '__typename');
        expect(answer).toMatchObject({ __typename: 'NotFoundError', code: 'not_found' });
      }
    },
  );

  it('is recorded in the change log with its caller', async () => {
    const ada = await stranger();
    const from = (await historyOf(running.app, northwind)).length;
    await accept(ada.key, await invite(ada.name));
    await act(owner, 'updateMember', { workspace: 'main', name: ada.name, role: 'ADMIN' }, 'member { role }');
    await act(owner, 'removeMember', { name: ada.name }, 'member { role }');
    const changes = (await historyOf(running.app, northwind)).slice(from);
    expect(changes.map(({ kind, verb, actorName, name }) => [kind, verb, actorName, name])).toEqual([
      ['INVITATION', 'created', 'owner@northwind.example.com', ada.name],
      ['INVITATION', 'accepted', ada.name, ada.name],
      ['MEMBER', 'created', ada.name, ada.name],
      ['MEMBER', 'updated', 'owner@northwind.example.com', ada.name],
      ['MEMBER', 'deleted', 'owner@northwind.example.com', ada.name],
    ]);
    expect(changes[3]).toMatchObject({ before: { role: 'member' }, after: { role: 'admin' }, fields: ['role'] });
    // The address of an invited user is not visible to the account.
    expect(changes.map(({ address }) => address !== null)).toEqual([true, false, false, true, true]);
  });
});

describe('The last admin', () => {
  it('of an account cannot leave, be removed, or get another role', async () => {
    for (const [mutation, input] of [
      ['leaveAccount', {}],
      ['removeMember', { name: 'owner@southwind.example.com' }],
      ['updateMember', { name: 'owner@southwind.example.com', role: 'MEMBER' }],
    ] as const) {
      expect(await act(foreigner, mutation, input, '__typename')).toMatchObject({
        __typename: 'ConflictError',
        code: 'last_admin',
      });
    }
  });

  it('is counted without disabled users and service accounts', async () => {
    const { accountId } = southwind;
    const disabled = { kind: 'user', name: 'disabled@example.com', disabledAt: frozenNow } as const;
    const program = { kind: 'service_account', name: 'a-program' } as const;
    for (const data of [disabled, program]) {
      const { id: principalId } = await db().principal.create({ data });
      await db().accountMember.create({ data: { accountId, principalId, role: 'admin' } });
    }
    expect(await act(foreigner, 'leaveAccount', {}, '__typename')).toMatchObject({ code: 'last_admin' });
    const removed = await act(foreigner, 'removeMember', { name: 'a-program' }, 'member { kind }');
    expect(removed).toMatchObject({ member: { kind: 'SERVICE_ACCOUNT' } });
  });

  it('remains when two admins remove each other concurrently', async () => {
    const { app } = running;
    const eastwind = await createTenant(app, { account: 'eastwind', workspaces: ['east'] });
    const { key: one } = await createKey(app, eastwind);
    const { id: principalId } = await db().principal.create({ data: { kind: 'user', name: 'two@example.com' } });
    await db().accountMember.create({ data: { accountId: eastwind.accountId, principalId, role: 'admin' } });
    const { key: two } = await createKey(app, { accountId: eastwind.accountId, principalId });
    const removing = (key: string, name: string) =>
      graphql(app, key, `mutation { removeMember(input: { name: "${name}" }) { __typename } }`);
    const answers = await startedInTurn(app, eastwind.accountId, [
      () => removing(one, 'two@example.com'),
      () => removing(two, 'owner@eastwind.example.com'),
    ]);
    // If requests are served in sequence, the second one finds no invitation.
    const outcomes = answers.map(({ body }) => body.data?.removeMember.__typename ?? body.errors[0].extensions.code);
    expect(outcomes.filter((outcome) => outcome === 'RemoveMemberPayload')).toHaveLength(1);
    expect(outcomes).toContainEqual(expect.stringMatching(/^(ConflictError|unauthorized)$/));
    expect(await db().accountMember.count({ where: { accountId: eastwind.accountId, role: 'admin' } })).toBe(1);
  });
});

describe('The members of an account or workspace', () => {
  const names = (body: Answer['body']) => body.data.workspace.members.nodes.map(({ name }: { name: string }) => name);

  it('include members of the account with access to the workspace', async () => {
    const { app } = running;
    const { accountId } = await createTenant(app, { account: 'westwind', workspaces: ['west', 'far'] });
    const { id: principalId } = await db().principal.findUniqueOrThrow({
      where: { name: 'owner@westwind.example.com' },
    });
    const { key } = await createKey(app, { accountId, principalId });
    await act(key, 'inviteMember', { workspace: 'west', email: 'guest@example.com', role: 'VIEWER' }, '__typename');
    const whole = `{ workspace(name: "west") { members(orderBy: { field: NAME, direction: ASC }) { totalCount nodes { name role isInherited } }
      invitations { totalCount filteredCount nodes { email } } } }`;
    const { data } = await query(key, whole);
    expect(data.workspace.members).toEqual({
      totalCount: 1,
      nodes: [{ name: 'owner@westwind.example.com', role: 'ADMIN', isInherited: true }],
    });
    expect(data.workspace.invitations).toMatchObject({ totalCount: 1, nodes: [{ email: 'guest@example.com' }] });
  });

  it('support pages, sorting and search', async () => {
    await somebody('member', 'viewer');
    const all = names(
      await query(
        owner,
        '{ workspace(name: "main") { members(orderBy: { field: NAME, direction: ASC }) { nodes { name } } } }',
      ),
    );
    const paged: string[] = [];
    let after = '';
    for (let hasNextPage = true; hasNextPage;) {
      const body = await query(
        owner,
        `{ workspace(name: "main") { members(orderBy: { field: NAME, direction: ASC }, first: 2 ${after}) {
          nodes { name } pageInfo { hasNextPage endCursor } } } }`,
      );
      paged.push(...names(body));
      const { pageInfo } = body.data.workspace.members;
      ({ hasNextPage } = pageInfo);
      after = `, after: "${pageInfo.endCursor}"`;
    }
    expect(paged).toEqual(all);
    expect(all).toEqual([...all].toSorted());
    const newest = await query(owner, '{ workspace(name: "main") { members { nodes { name } } } }');
    expect(names(newest).toSorted()).toEqual(all);
    const found = await query(
      owner,
      '{ workspace(name: "main") { members(search: "OWNER@") { totalCount filteredCount nodes { name } } } }',
    );
    expect(found.data.workspace.members).toMatchObject({
      totalCount: all.length,
      filteredCount: 1,
      nodes: [{ name: 'owner@northwind.example.com' }],
    });
    const wrong = await query(
      owner,
      '{ workspace(name: "main") { members(orderBy: { field: STATUS, direction: ASC }) { nodes { name } } } }',
    );
    expect(wrong.errors[0].extensions.code).toBe('invalid_request');
  });

  it('can be restricted to a role, and to users or service accounts', async () => {
    const { accountId } = northwind;
    const program = await db().principal.create({ data: { kind: 'service_account', name: 'night-sync' } });
    await db().accountMember.create({ data: { accountId, principalId: program.id, role: 'viewer' } });
    const rolesIn = async (restriction: string) => {
      const { data } = await query(
        owner,
        `{ workspace(name: "main") { members(first: 200, ${restriction}) { totalCount filteredCount nodes { name role kind } } } }`,
      );
      return data.workspace.members;
    };
    const all = await rolesIn('search: ""');
    for (const role of ['ADMIN', 'MEMBER', 'VIEWER']) {
      const own = all.nodes.filter((each: { role: string }) => each.role === role);
      expect(own.length).toBeGreaterThan(0);
      expect(await rolesIn(`role: ${role}`)).toEqual({ ...all, filteredCount: own.length, nodes: own });
    }
    expect(await rolesIn('kind: SERVICE_ACCOUNT, role: VIEWER')).toMatchObject({
      filteredCount: 1,
      nodes: [{ name: 'night-sync', kind: 'SERVICE_ACCOUNT' }],
    });
    expect((await rolesIn('kind: EXECUTOR')).nodes).toEqual([]);
    const ofAccount = await query(owner, '{ viewer { accounts { members(role: ADMIN) { nodes { role } } } } }');
    expect(new Set(ofAccount.data.viewer.accounts[0].members.nodes.map(({ role }: { role: string }) => role))).toEqual(
      new Set(['ADMIN']),
    );
  });

  it('of an account require an account admin with a credential for the whole account', async () => {
    const member = await somebody('member', 'admin');
    const text = '{ viewer { accounts { members { nodes { name role } } invitations { nodes { email } } } } }';
    const { data } = await query(owner, text);
    expect(data.viewer.accounts[0].members.nodes).toContainEqual({ name: member.name, role: 'MEMBER' });
    const { key: confined } = await createKey(running.app, {
      ...northwind,
      workspaceId: northwind.workspaces['main'] ?? '',
    });
    for (const key of [member.key, confined]) {
      const body = await query(key, text);
      expect(body.data.viewer.accounts[0]).toEqual({ members: null, invitations: null });
      expect(body.errors.map((error: { extensions: { code: string } }) => error.extensions.code)).toEqual([
        'forbidden',
        'forbidden',
      ]);
    }
  });

  it('of many workspaces take as many statements as those of one', async () => {
    const statements = async (first: number) => {
      running.app.statements.length = 0;
      await query(
        owner,
        `{ workspaces(first: ${first}) { nodes { members { totalCount nodes { name } } invitations { totalCount nodes { id } } } } }`,
      );
      return running.app.statements.filter((sql) => /"account_member" AS am JOIN|"invitation" AS i/.test(sql)).length;
    };
    const one = await statements(1);
    expect(one).toBe(4);
    expect(await statements(2)).toBe(one);
  });
});

describe('Removing a membership', () => {
  it('returns 404 for an unknown membership', async () => {
    const { id } = await stranger();
    const place = { accountId: northwind.accountId, workspaceId: null };
    expect(await db().$transaction((tx) => endMembership(tx, place, id, frozenNow))).toBe(false);
  });
});
