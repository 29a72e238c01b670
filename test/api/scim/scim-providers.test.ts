// The requests of Okta and Microsoft Entra ID, as their documentation shows them:
// https://developer.okta.com/docs/reference/scim/scim-20/ and
// https://learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups
import { beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../../harness.js';
import { createProvider, filtered } from './provider.js';
import type { Provider } from './provider.js';

const running = useApp({ SCIM_DOMAINS: 'acme.example=acme' });
let acme: Provider;

beforeAll(async () => {
  acme = await createProvider(running.app, 'acme');
});

const patch = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

describe('Okta', () => {
  it('tests the connection, creates a user, updates, deactivates and reactivates the user', async () => {
    const test = await acme.send('GET', '/Users?startIndex=1&count=2');
    expect(test.body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
    const find = () =>
      acme.send('GET', filtered('/Users', 'userName eq "test.user@acme.example"', '&startIndex=1&count=100'));
    expect((await find()).body.totalResults).toBe(0);
    const created = await acme.send('POST', '/Users', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'test.user@acme.example',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'test.user@acme.example', type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    });
    expect(created.status).toBe(201);
    const { id } = created.body;
    expect((await find()).body).toMatchObject({
      totalResults: 1,
      Resources: [{ id, externalId: '00ujl29u0le5T6Aj10h7' }],
    });
    // Okta reads the user, changes the attributes, and sends all of it.
    const { body } = await acme.send('GET', `/Users/${id}`);
    const replaced = await acme.send('PUT', `/Users/${id}`, {
      ...body,
      name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
      displayName: 'Another User',
    });
    expect([replaced.status, replaced.body.name]).toEqual([200, { givenName: 'Another', familyName: 'User' }]);
    const activate = (active: boolean) =>
      acme.send('PATCH', `/Users/${id}`, { schemas: [patch], Operations: [{ op: 'replace', value: { active } }] });
    expect((await activate(false)).body.active).toBe(false);
    expect((await activate(false)).status).toBe(200);
    expect((await activate(true)).body.active).toBe(true);
  });

  it('pushes a group, adds and removes members, renames and deletes it', async () => {
    const user = await acme.create('abe@acme.example');
    const created = await acme.send('POST', '/Groups', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Test SCIMv2',
      members: [],
    });
    expect(created.status).toBe(201);
    const path = `/Groups/${created.body.id}`;
    const send = (...Operations: object[]) => acme.send('PATCH', path, { schemas: [patch], Operations });
    const renamed = await send({ op: 'replace', value: { id: created.body.id, displayName: 'Test SCIMv20' } });
    expect([renamed.status, renamed.body]).toEqual([204, undefined]);
    await send(
      { op: 'remove', path: `members[value eq "${user.id}"]` },
      { op: 'add', path: 'members', value: [{ value: user.id, display: 'abe@acme.example' }] },
    );
    const members = async () => (await acme.send('GET', path)).body.members;
    expect((await members()).map(({ value }: { value: string }) => value)).toEqual([user.id]);
    await send({ op: 'replace', path: 'members', value: [] });
    expect(await members()).toEqual([]);
    await send({ op: 'replace', path: 'members', value: [{ value: user.id, display: 'abe@acme.example' }] });
    const listed = await acme.send(
      'GET',
      filtered('/Groups', 'displayName eq "Test SCIMv20"', '&startIndex=1&count=100'),
    );
    expect(listed.body.Resources[0].members).toHaveLength(1);
    expect((await acme.send('DELETE', path)).status).toBe(204);
  });
});

describe('Microsoft Entra ID', () => {
  it('tests the connection, creates a user, updates attributes, disables and deletes the user', async () => {
    const random = await acme.send('GET', filtered('/Users', 'userName eq "6514fd5c-1f3b-4a3c-8f38-87e3c3c3dd1c"'));
    expect([random.status, random.body.totalResults]).toEqual([200, 0]);
    const created = await acme.send('POST', '/Users', {
      schemas: [
        'urn:ietf:params:scim:schemas:core:2.0:User',
        'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
      ],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_ab6490ee@acme.example',
      active: true,
      emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@testuser.com' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
    });
    expect(created.status).toBe(201);
    const { id } = created.body;
    expect(created.body.userName).toBe('Test_User_ab6490ee@acme.example');
    const path = `/Users/${id}`;
    const send = (...Operations: object[]) => acme.send('PATCH', path, { schemas: [patch], Operations });
    const updated = await send(
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      { op: 'Add', path: 'emails[type eq "other"].value', value: 'other@microsoft.com' },
      { op: 'Add', path: 'addresses[type eq "work"].formatted', value: 'Redmond' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '555' },
      { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'R&D' },
      {
        op: 'Add',
        value: { 'name.givenName': 'Updated', title: 'Engineer', 'emails[type eq "home"].value': 'h@x.example' },
      },
    );
    expect(updated.status).toBe(200);
    expect(updated.body).toMatchObject({
      name: { formatted: 'givenName familyName', familyName: 'updatedFamilyName', givenName: 'Updated' },
      emails: [
        { primary: true, type: 'work', value: 'updatedEmail@microsoft.com' },
        { type: 'other', value: 'other@microsoft.com' },
        { type: 'home', value: 'h@x.example' },
      ],
    });
    const disabled = await send({ op: 'Replace', path: 'active', value: 'False' });
    expect(disabled.body.active).toBe(false);
    expect((await send({ op: 'Add', path: 'active', value: [{ $ref: null, value: 'True' }] })).body.active).toBe(true);
    expect((await send({ op: 'Replace', path: 'active', value: false })).body.active).toBe(false);
    expect((await acme.send('DELETE', path)).status).toBe(204);
    expect((await acme.send('GET', path)).body).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '404',
      detail: 'There is no user with this id.',
    });
  });

  it('creates a group, finds it without its members, adds and removes members, and deletes it', async () => {
    const [one, two] = [await acme.create('one@acme.example'), await acme.create('two@acme.example')];
    const created = await acme.send('POST', '/Groups', {
      schemas: [
        'urn:ietf:params:scim:schemas:core:2.0:Group',
        'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
      ],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'displayName',
      meta: { resourceType: 'Group' },
    });
    expect(created.status).toBe(201);
    const path = `/Groups/${created.body.id}`;
    const send = (...Operations: object[]) => acme.send('PATCH', path, { schemas: [patch], Operations });
    const found = await acme.send('GET', `/Groups?excludedAttributes=members&filter=displayName+eq+"displayName"`);
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id: created.body.id }] });
    const byId = await acme.send('GET', filtered('/Groups', 'externalId eq "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159"'));
    expect(byId.body.totalResults).toBe(1);
    await send({ op: 'Replace', path: 'displayName', value: '1879db59-3bdf-4490-ad68-ab880a269474updatedDisplayName' });
    await send({
      op: 'Add',
      path: 'members',
      value: [
        { $ref: null, value: one.id },
        { $ref: null, value: two.id },
      ],
    });
    await send({ op: 'Remove', path: 'members', value: [{ $ref: null, value: one.id }] });
    const members = (await acme.send('GET', path)).body.members;
    expect(members.map(({ value }: { value: string }) => value)).toEqual([two.id]);
    const without = await acme.send('GET', `${path}?excludedAttributes=members`);
    expect(without.body).not.toHaveProperty('members');
    const isMember = async (id: string) =>
      (await acme.send('GET', filtered('/Groups', `id eq "${created.body.id}" and members eq "${id}"`))).body
        .totalResults;
    expect([await isMember(one.id), await isMember(two.id)]).toEqual([0, 1]);
    expect((await acme.send('DELETE', path)).status).toBe(204);
  });
});
