// Concurrent deletions of related workspaces, and requests for a workspace that was just deleted.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { mutate } from '../resources/mutations.js';

const running = useApp();
const times = { createdAt: frozenNow, updatedAt: frozenNow };

/** Images of each workspace, and offers of them to the other, as many as they are in no order of their ids. */
async function offerEachOther(one: string, other: string): Promise<void> {
  const { db } = running.app.services;
  const workspaces = await db.workspace.findMany({ where: { id: { in: [one, other] } }, include: { account: true } });
  const offers = workspaces.flatMap((source) =>
    Array.from({ length: 800 }, (_, index) => ({
      id: randomUUID(),
      workspaceId: source.id === one ? other : one,
      sourceWorkspaceId: source.id,
      sourceAccount: source.account.name,
      sourceWorkspace: source.name,
      resourceType: 'agents' as const,
      name: `image-${index}`,
      search: `image-${index}`,
      ...times,
    })),
  );
  await db.imageShare.createMany({ data: offers.toSorted((a, b) => (a.id < b.id ? -1 : 1)) });
}

const remove = async (key: string, name: string) =>
  mutate(running.app, key, 'deleteWorkspace', 'workspace { name }', { name, force: true });

describe('Two workspaces that share images with each other', () => {
  it.each([
    ['of one account', false],
    ['of two accounts', true],
  ])('%s are both deleted concurrently', async (_of, isApart) => {
    const { app } = running;
    for (let round = 0; round < 3; round += 1) {
      const mark = `${isApart ? 'two' : 'one'}${round}`;
      const names = [`${mark}-a`, `${mark}-b`] as const;
      const first = await createTenant(app, { account: mark, workspaces: isApart ? [names[0]] : [...names] });
      const second = isApart ? await createTenant(app, { account: `${mark}-other`, workspaces: [names[1]] }) : first;
      const idOf = (name: string) => ({ ...first.workspaces, ...second.workspaces })[name] ?? '';
      await offerEachOther(idOf(names[0]), idOf(names[1]));
      const keys = await Promise.all([first, second].map(async (tenant) => (await createKey(app, tenant)).key));
      const removed = await Promise.all(names.map((name, index) => remove(keys[index] ?? '', name)));
      expect(removed).toMatchObject(
        names.map((name) => ({ __typename: 'DeleteWorkspacePayload', workspace: { name } })),
      );
      expect(await app.services.db.imageShare.count()).toBe(0);
    }
  });

  it('can be deleted while their shares are decided on, with errors only for deleted resources', async () => {
    const { app } = running;
    const tenant = await createTenant(app, { account: 'deciding', workspaces: ['deciding-a', 'deciding-b'] });
    const { key } = await createKey(app, tenant);
    const { 'deciding-a': a = '', 'deciding-b': b = '' } = tenant.workspaces;
    await offerEachOther(a, b);
    const shares = await app.services.db.imageShare.findMany({ take: 24 });
    const decide = ({ id }: { id: string }, index: number) =>
      mutate(app, key, index % 2 === 0 ? 'declineImageShare' : 'revokeImageShare', '__typename', {
        id: Buffer.from(`1:ImageShare:${id}`).toString('base64url'),
      });
    const [one, other, ...decided] = await Promise.all([
      remove(key, 'deciding-a'),
      remove(key, 'deciding-b'),
      ...shares.map(decide),
    ]);
    expect([one, other]).toMatchObject([
      { __typename: 'DeleteWorkspacePayload' },
      { __typename: 'DeleteWorkspacePayload' },
    ]);
    const codes = new Set(decided.map((result) => result.code ?? 'done'));
    expect([...codes].filter((code) => !['done', 'not_found', 'conflict', 'forbidden'].includes(code))).toEqual([]);
  });
});

describe('A request for a workspace that was just deleted', () => {
  const targets = ['agents', 'sandboxes', 'jobs', 'volumes', 'vpcs', 'images'];

  async function goneTenant(mark: string): Promise<{ tenant: Tenant; key: string; name: string }> {
    const { app } = running;
    const name = `${mark}-gone`;
    const tenant = await createTenant(app, { account: mark, workspaces: [name, `${mark}-left`] });
    const { key } = await createKey(app, tenant);
    // The credential's reach is remembered for a moment, so the caller is still let in.
    await graphql(app, key, '{ viewer { name } }');
    await app.services.db.workspace.delete({ where: { id: tenant.workspaces[name] ?? '' } });
    return { tenant, key, name };
  }

  it.each([
    ['createAgent', (workspace: string) => ({ workspace, metadata: { name: 'late' } })],
    ['createSandbox', (workspace: string) => ({ workspace, metadata: { name: 'late' } })],
    ['createJob', (workspace: string) => ({ workspace, metadata: { name: 'late' } })],
    [
      'createVolume',
      (workspace: string) => ({ workspace, metadata: { name: 'late' }, spec: { region: 'r', sizeMb: 1 } }),
    ],
    ['createVpc', (workspace: string) => ({ workspace, metadata: { name: 'late' } })],
    ['updateAgent', (workspace: string) => ({ workspace, name: 'late', metadata: { displayName: 'x' } })],
    ['deleteAgent', (workspace: string) => ({ workspace, name: 'late' })],
    [
      'registerImageTag',
      (workspace: string) => ({ workspace, resourceType: 'AGENTS', imageName: 'late', tag: { name: 'v1', size: 1 } }),
    ],
    ['updateWorkspace', (name: string) => ({ name, metadata: { displayName: 'x' } })],
    ['deleteWorkspace', (name: string) => ({ name })],
    ['inviteMember', (workspace: string) => ({ workspace, email: 'guest@example.com', role: 'MEMBER' })],
    ['updateMember', (workspace: string) => ({ workspace, name: 'nobody@example.com', role: 'MEMBER' })],
    ['removeMember', (workspace: string) => ({ workspace, name: 'nobody@example.com' })],
    ['leaveWorkspace', (workspace: string) => ({ workspace })],
    ['createApiKey', (workspace: string) => ({ workspace, name: 'late', scopes: ['admin'] })],
    ['createWebhook', (workspace: string) => ({ workspace, name: 'late', url: 'https://example.com/hook' })],
  ])('%s: is rejected without an internal error', async (mutation, inputOf) => {
    const { key, name } = await goneTenant(`m-${mutation.toLowerCase()}`);
    const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input!`;
    const query = `mutation ($input: ${type}) { result: ${mutation}(input: $input) { __typename ... on Error { code } } }`;
    const { body } = await graphql(running.app, key, query, { input: inputOf(name) });
    const code = body.errors?.[0].extensions.code ?? body.data.result.code;
    expect(['conflict', 'not_found', 'forbidden', 'invalid_input']).toContain(code);
  });

  it('returns nothing if it reads', async () => {
    const { key, name } = await goneTenant('reading');
    const lists = targets.map((list) => `${list} { totalCount nodes { id } }`).join(' ');
    const { status, body } = await graphql(
      running.app,
      key,
      `{ workspace(name: "${name}") { ${lists} overview { kinds { total } failures { count } cost { toDate } } members { totalCount } changes { totalCount } }
         search(text: "late", workspace: "${name}") { totalCount nodes { id } } }`,
    );
    expect(status).toBe(200);
    for (const { extensions } of body.errors ?? []) expect(extensions.status).toBeLessThan(500);
    // By then it may be out of reach altogether.
    const nothing = { totalCount: 0, nodes: [] };
    const found = targets.map((list) => body.data.workspace?.[list] ?? nothing);
    expect(found).toEqual(targets.map(() => nothing));
  });
});
