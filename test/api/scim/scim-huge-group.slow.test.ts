// A group with ten thousand users, whom an identity provider adds in one request.
import { beforeAll, describe, expect, it } from 'vitest';
import { groupMembersMax } from '../../../src/accounts/provisioning/provision-groups.js';
import { createKey, useApp } from '../../harness.js';
import { mutate } from '../../resources/mutations.js';
import { createProvider, filtered } from './provider.js';
import type { Provider } from './provider.js';

const running = useApp({ SCIM_DOMAINS: 'acme.example=acme' });
const db = () => running.app.services.db;
let acme: Provider;

beforeAll(async () => {
  acme = await createProvider(running.app, 'acme');
});

describe('A huge group', () => {
  const size = 10_000;
  let ids: string[];

  beforeAll(async () => {
    const rows = await db().$queryRaw<{ id: string }[]>`
      INSERT INTO "principal" ("id", "kind", "name", "created_at")
      SELECT gen_random_uuid(), 'user', 'many' || n || '@acme.example', now() FROM generate_series(1, ${size}::int) AS n
      RETURNING "id"::text`;
    ids = rows.map(({ id }) => id);
    await db().$executeRaw`
      INSERT INTO "provisioned_user" ("account_id", "principal_id", "user_name", "attributes", "created_at", "updated_at")
      SELECT ${acme.tenant.accountId}::uuid, p."id", p."name", '{}', now(), now() FROM "principal" AS p
      WHERE p."id" = ANY(${ids}::uuid[])`;
    const { key: admin } = await createKey(running.app, acme.tenant);
    const role = { provider: 'scim', name: 'everybody', role: 'MEMBER', workspace: 'acme-main' };
    await mutate(running.app, admin, 'createGroupRole', 'groupRole { name }', role);
  });

  it('gets 10,000 members with a role in one request, and loses them in another', async () => {
    const group = await acme.group('everybody');
    const path = `/Groups/${group.id}`;
    const added = await acme.patch(path, { op: 'Add', path: 'members', value: ids.map((value) => ({ value })) });
    expect([added.status, added.body]).toEqual([204, undefined]);
    expect(await db().workspaceMember.count({ where: { principalId: { in: ids } } })).toBe(size);
    const whole = await acme.send('GET', path);
    expect(whole.body.members).toHaveLength(size);
    expect((await acme.send('GET', `${path}?excludedAttributes=members`)).body.members).toBeUndefined();
    const [one = ''] = ids;
    expect((await acme.send('GET', filtered('/Groups', `members.value eq "${one}"`))).body.totalResults).toBe(1);
    const listed = await acme.send(
      'GET',
      filtered('/Groups', 'displayName eq "everybody"', '&excludedAttributes=members'),
    );
    expect(listed.body.Resources[0].members).toBeUndefined();
    const each = ids.slice(0, 50).map((id) => ({ op: 'Remove', path: `members[value eq "${id}"]` }));
    expect((await acme.patch(path, ...each)).status).toBe(204);
    expect(await db().workspaceMember.count({ where: { principalId: { in: ids } } })).toBe(size - 50);
  });

  it('has at most 20,000 members', async () => {
    const value = Array.from({ length: groupMembersMax }, (_, index) => ({
      value: `0198a5f0-3c1e-7d52-9b1f-${String(index).padStart(12, '0')}`,
    }));
    const group = await acme.group('too-many');
    const tooMany = [...value, { value: '0198a5f0-3c1e-7d52-9b1e-000000000000' }];
    const { status, body } = await acme.patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value: tooMany });
    expect([status, body.scimType]).toEqual([400, expect.stringMatching(/invalidValue|invalidSyntax/)]);
  });
});
