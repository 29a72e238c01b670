// The protocol of SCIM: discovery, PATCH, errors, and hostile input.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { patchedUser, readOperations } from '../../../src/api/scim/patch.js';
import type { UserAttributes } from '../../../src/accounts/provisioning/users.js';
import { useApp } from '../../harness.js';
import { createProvider, patchSchema, scim, userSchema } from './provider.js';
import type { Provider } from './provider.js';

const running = useApp({ SCIM_DOMAINS: 'acme.example=acme' });
let acme: Provider;
let id: string;

beforeAll(async () => {
  acme = await createProvider(running.app, 'acme');
  ({ id } = await acme.create('ada@acme.example'));
});

const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

describe('PATCH', () => {
  const before: UserAttributes = {
    userName: 'ada@acme.example',
    active: true,
    displayName: 'Ada',
    name: { givenName: 'Ada' },
    emails: [
      { value: 'a@x.example', type: 'work', primary: true },
      { value: 'b@x.example', type: 'home' },
    ],
  };
  const patched = (...operations: object[]) =>
    patchedUser(before, readOperations({ schemas: [patchSchema], Operations: operations }));

  it.each<[string, object, object]>([
    ['replaces an attribute', { op: 'replace', path: 'displayName', value: 'B' }, { displayName: 'B' }],
    [
      'replaces by the URN of the schema',
      { op: 'replace', path: `${userSchema}:displayName`, value: 'B' },
      { displayName: 'B' },
    ],
    ['ignores case', { OP: 'REPLACE', Path: 'DISPLAYNAME', Value: 'B' }, { displayName: 'B' }],
    ['removes an attribute', { op: 'remove', path: 'displayName' }, { displayName: undefined }],
    [
      'clears an attribute with an empty text',
      { op: 'replace', path: 'displayName', value: '' },
      { displayName: undefined },
    ],
    ['clears an attribute with null', { op: 'replace', value: { displayName: null } }, { displayName: undefined }],
    [
      'adds a part of the name',
      { op: 'add', path: 'name.familyName', value: 'L' },
      { name: { givenName: 'Ada', familyName: 'L' } },
    ],
    [
      'merges the name',
      { op: 'replace', path: 'name', value: { familyName: 'L' } },
      { name: { givenName: 'Ada', familyName: 'L' } },
    ],
    ['removes the name', { op: 'remove', path: 'name' }, { name: undefined }],
    [
      'adds an email',
      { op: 'add', path: 'emails', value: [{ value: 'c@x.example' }] },
      { emails: [...(before.emails ?? []), { value: 'c@x.example' }] },
    ],
    [
      'adds an email that exists once',
      { op: 'add', path: 'emails', value: { value: 'b@x.example', type: 'home' } },
      { emails: before.emails },
    ],
    [
      'replaces all emails',
      { op: 'replace', path: 'emails', value: [{ value: 'c@x.example' }] },
      { emails: [{ value: 'c@x.example' }] },
    ],
    [
      'removes an email by a filter',
      { op: 'remove', path: 'emails[type eq "home"]' },
      { emails: before.emails?.slice(0, 1) },
    ],
    ['removes all emails', { op: 'remove', path: 'emails' }, { emails: undefined }],
    [
      'moves the mark of the primary email',
      { op: 'replace', path: 'emails[type eq "home"].primary', value: 'True' },
      {
        emails: [
          { value: 'a@x.example', type: 'work', primary: false },
          { value: 'b@x.example', type: 'home', primary: true },
        ],
      },
    ],
    [
      'finds the primary email with a text',
      { op: 'replace', path: 'emails[primary eq "True"].value', value: 'c@x.example' },
      { emails: [{ value: 'c@x.example', type: 'work', primary: true }, ...(before.emails ?? []).slice(1)] },
    ],
    ['deactivates with a text', { op: 'replace', path: 'active', value: 'False' }, { active: false }],
    ['ignores attributes that are not stored', { op: 'add', path: 'nickName', value: 'x' }, {}],
    ['ignores extensions', { op: 'add', path: 'urn:example:2.0:User:costCenter', value: 'x' }, {}],
    ['ignores read-only attributes in a value', { op: 'replace', value: { id: 'x', groups: [], meta: {} } }, {}],
  ])('%s', (_what, operation, change) => {
    expect(patched(operation)).toEqual(JSON.parse(JSON.stringify({ ...before, ...change })));
  });

  describe('of email addresses in any order', () => {
    type Email = { value: string; type: string; primary?: boolean };
    const email = (name: string) => ({ value: `${name}@x.example`, type: name });
    const several = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 }).chain((names) =>
      fc.record({
        emails: fc
          .constantFrom(...names, undefined)
          .map((primary) =>
            names.map((name): Email => (name === primary ? { ...email(name), primary: true } : email(name))),
          ),
        target: fc.constantFrom(...names).map(email),
      }),
    );
    const after = (emails: Email[], operation: object) =>
      patchedUser({ ...before, emails }, readOperations({ schemas: [patchSchema], Operations: [operation] })).emails;

    it.each<[string, (email: Email) => object]>([
      [
        'replace and a filter',
        ({ type }) => ({ op: 'replace', path: `emails[type eq "${type}"].primary`, value: true }),
      ],
      [
        'add and a filter',
        ({ type }) => ({ op: 'Add', path: `emails[type eq "${type}"]`, value: { primary: 'True' } }),
      ],
      [
        'add and the value',
        ({ value, type }) => ({ op: 'add', path: 'emails', value: { value, type, primary: true } }),
      ],
      [
        'a value without a path',
        ({ value, type }) => ({ op: 'add', value: { emails: [{ value, type, primary: true }] } }),
      ],
    ])('makes one the primary one, wherever it is, by %s', (_how, operation) => {
      fc.assert(
        fc.property(several, ({ emails, target }) => {
          const patchedEmails = after(emails, operation(target));
          expect(patchedEmails?.map(({ value }) => value)).toEqual(emails.map(({ value }) => value));
          expect(patchedEmails?.map(({ primary }) => primary === true)).toEqual(
            emails.map(({ value }) => value === target.value),
          );
        }),
      );
    });

    it('changes nothing if values are added that exist', () => {
      fc.assert(
        fc.property(several, ({ emails, target }) => {
          expect(after(emails, { op: 'add', path: 'emails', value: [target] })).toEqual(emails);
        }),
      );
    });
  });

  it.each(['add', 'replace'])('of a group by %s without a value leaves its members', async (op) => {
    const { id: groupId } = await acme.group(`Kept by ${op}`, id);
    const stored = (await acme.send('GET', `/Groups/${groupId}`)).body;
    const answered = await acme.patch(`/Groups/${groupId}`, { op, path: 'members', values: [] });
    expect([answered.status, answered.body?.scimType]).toEqual([400, 'invalidValue']);
    expect((await acme.send('GET', `/Groups/${groupId}`)).body).toEqual(stored);
  });

  it.each<[string, object, [number, string | undefined], number]>([
    ['null', { value: null }, [400, 'invalidValue'], 2],
    ['an empty list', { value: [] }, [200, undefined], 2],
    ['no value', {}, [200, undefined], 0],
  ])('removes all members and emails with %s only if the value is left out', async (what, value, answer, left) => {
    const emails = ['a@x.example', 'b@x.example'].map((each) => ({ value: each }));
    const user = await acme.create(`left.by.${what.replaceAll(' ', '.')}@acme.example`, { emails });
    const group = await acme.group(`Left by ${what}`, id, user.id);
    const path = `/Groups/${group.id}?attributes=members`;
    const ofGroup = await acme.patch(path, { op: 'remove', path: 'members', ...value });
    const ofUser = await acme.patch(`/Users/${user.id}`, { op: 'remove', path: 'emails', ...value });
    for (const { status, body } of [ofGroup, ofUser]) expect([status, body.scimType]).toEqual(answer);
    expect((await acme.send('GET', `/Groups/${group.id}`)).body.members.length).toBe(left);
    expect((await acme.send('GET', `/Users/${user.id}`)).body.emails ?? []).toHaveLength(left);
  });

  it('removes what a filter selects, whatever the value', () => {
    const operation = { op: 'remove', path: 'emails[type eq "home"]', value: null };
    expect(patched(operation).emails).toEqual(before.emails?.slice(0, 1));
  });

  it('applies operations in order', () => {
    const steps = ['one', 'two', 'three'].map((value) => ({ op: 'replace', path: 'displayName', value }));
    expect(patched(...steps).displayName).toBe('three');
  });

  it.each<[string, unknown, string]>([
    ['no operations', { Operations: [] }, 'invalidSyntax'],
    ['operations that are no list', { Operations: { op: 'add' } }, 'invalidSyntax'],
    ['an unknown operation', { Operations: [{ op: 'move', path: 'a' }] }, 'invalidSyntax'],
    ['an operation that is a text', { Operations: ['add'] }, 'invalidSyntax'],
    ['no schemas', { schemas: [], Operations: [{ op: 'add', path: 'active', value: true }] }, 'invalidSyntax'],
    ['a removal without a path', { Operations: [{ op: 'remove' }] }, 'noTarget'],
    ['an addition without path and value', { Operations: [{ op: 'add' }] }, 'invalidValue'],
    ['a path that is a number', { Operations: [{ op: 'add', path: 5, value: 1 }] }, 'invalidPath'],
    ['a malformed path', { Operations: [{ op: 'add', path: 'emails[', value: 1 }] }, 'invalidPath'],
    ['an unknown attribute', { Operations: [{ op: 'add', path: 'shoeSize', value: 1 }] }, 'invalidPath'],
    ['an unknown attribute in a value', { Operations: [{ op: 'add', value: { shoeSize: 1 } }] }, 'invalidPath'],
    ['an attribute of the prototype', { Operations: [{ op: 'add', path: 'constructor', value: 1 }] }, 'invalidPath'],
    ['the prototype', { Operations: [{ op: 'add', path: '__proto__.polluted', value: 1 }] }, 'invalidPath'],
    ['an unknown part of the name', { Operations: [{ op: 'add', path: 'name.nick', value: 'x' }] }, 'invalidPath'],
    ['a read-only attribute', { Operations: [{ op: 'replace', path: 'id', value: 'x' }] }, 'mutability'],
    ['groups', { Operations: [{ op: 'add', path: 'groups', value: [{ value: 'x' }] }] }, 'mutability'],
    ['a removal of userName', { Operations: [{ op: 'remove', path: 'userName' }] }, 'mutability'],
    [
      'a filter that matches nothing',
      { Operations: [{ op: 'replace', path: 'emails[value co "@y"].type', value: 'x' }] },
      'noTarget',
    ],
    ...[
      'shoe eq "x"',
      'not (shoe pr)',
      'type eq "x" and shoe pr',
      'type eq "x" or constructor pr',
      'type[value pr]',
      'type.value eq "x"',
    ].map((filter): [string, unknown, string] => [
      `a removal of emails with the unknown attribute in ${filter}`,
      { Operations: [{ op: 'remove', path: `emails[${filter}]` }] },
      'invalidFilter',
    ]),
    ['a wrong type', { Operations: [{ op: 'replace', path: 'displayName', value: { a: 1 } }] }, 'invalidValue'],
    ['userName null', { Operations: [{ op: 'replace', value: { userName: null } }] }, 'invalidValue'],
    [
      'more emails after an operation than a user can have, before the next one compares with each',
      {
        Operations: [
          { op: 'add', path: 'emails', value: Array.from({ length: 21 }, (_, index) => `${index}@acme.example`) },
          { op: 'remove', path: 'emails' },
        ],
      },
      'invalidValue',
    ],
    [
      'more comparisons in all paths than a request can have, before any is made',
      {
        Operations: Array.from({ length: 101 }, () => ({
          op: 'remove',
          path: `emails[${Array.from({ length: 199 }, () => 'type co "x"').join(' or ')}]`,
        })),
      },
      'invalidValue',
    ],
    [
      'a path of a megabyte',
      { Operations: [{ op: 'replace', path: `emails[value eq "${'x'.repeat(1_000_000)}"]` }] },
      'invalidPath',
    ],
  ])('refuses %s', async (_what, body, scimType) => {
    const stored = (await acme.send('GET', `/Users/${id}`)).body;
    const answered = await acme.send('PATCH', `/Users/${id}`, { schemas: [patchSchema], ...Object(body) });
    expect([answered.status, answered.body.scimType]).toEqual([400, scimType]);
    expect(answered.body.schemas).toEqual([errorSchema]);
    expect(JSON.stringify(answered.body).length).toBeLessThan(1_000);
    expect((await acme.send('GET', `/Users/${id}`)).body).toEqual(stored);
  });
});

describe('Discovery', () => {
  it('says without a credential what the endpoints do', async () => {
    const read = (path: string) => scim(running.app, undefined, 'GET', path);
    const config = await read('/ServiceProviderConfig');
    expect(config.status).toBe(200);
    expect(config.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    expect(config.body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: true },
      authenticationSchemes: [{ type: 'oauthbearertoken' }],
    });
    for (const path of ['/Schemas', '/ResourceTypes']) {
      const { body } = await read(path);
      expect(body).toMatchObject({ totalResults: 2, itemsPerPage: 2, startIndex: 1 });
      for (const resource of body.Resources) expect((await read(`${path}/${resource.id}`)).body).toEqual(resource);
    }
    expect((await read('/Schemas?filter=id+pr')).status).toBe(403);
    expect((await scim(running.app, undefined, 'POST', '/Schemas', {})).status).toBe(405);
  });

  it('describes every attribute that users and groups have', async () => {
    const group = await acme.group('described', id);
    for (const [path, schema] of [
      [`/Users/${id}`, userSchema],
      [`/Groups/${group.id}`, 'urn:ietf:params:scim:schemas:core:2.0:Group'],
    ]) {
      const { body } = await acme.send('GET', path ?? '');
      const described = (await acme.send('GET', `/Schemas/${schema}`)).body.attributes.map(
        ({ name }: { name: string }) => name,
      );
      const common = ['schemas', 'id', 'externalId', 'meta'];
      expect(Object.keys(body).filter((name) => ![...common, ...described].includes(name))).toEqual([]);
    }
  });
});

describe('Errors', () => {
  it.each<[string, string, unknown, Record<string, string>, number, string | undefined]>([
    ['POST', '/Users', '{', {}, 400, 'invalidSyntax'],
    ['POST', '/Users', '', {}, 400, 'invalidSyntax'],
    ['POST', '/Users', '[]', {}, 400, 'invalidSyntax'],
    ['POST', '/Users', 'null', {}, 400, 'invalidSyntax'],
    ['POST', '/Users', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, {}, 400, 'invalidSyntax'],
    ['POST', '/Users', '<user/>', { 'content-type': 'text/xml' }, 415, undefined],
    ['POST', '/Users', 'userName=x', { 'content-type': 'application/x-www-form-urlencoded' }, 415, undefined],
    ['POST', '/Users', '{"a":"' + 'x'.repeat(5_000_000) + '"}', {}, 413, undefined],
    ['PATCH', '/Users', '{}', {}, 405, undefined],
    ['DELETE', '/Users', undefined, {}, 405, undefined],
    ['POST', '/Users/x', '{}', {}, 405, undefined],
    ['OPTIONS', '/Users', undefined, {}, 405, undefined],
    ['GET', '/Users/not-an-id', undefined, {}, 404, undefined],
    ['GET', '/Users/%00', undefined, {}, 404, undefined],
    ['GET', '/Users/%zz', undefined, {}, 404, undefined],
    ['GET', '/Users/a/b', undefined, {}, 404, undefined],
    ['GET', '/Roles', undefined, {}, 404, undefined],
    ['GET', '', undefined, {}, 404, undefined],
    ['GET', '/../v1/Users', undefined, {}, 404, undefined],
    ['GET', '/Me', undefined, {}, 501, undefined],
    ['POST', '/Bulk', '{}', {}, 501, undefined],
    ['GET', '/Users?filter=%', undefined, {}, 400, 'invalidFilter'],
    ['GET', '/Users?filter=userName%20eq%20%22%ff%22', undefined, {}, 400, 'invalidFilter'],
    ['GET', '/Users?filter=constructor%5Bvalue%20pr%5D', undefined, {}, 400, 'invalidFilter'],
  ])('%s %s %# is an error of SCIM', async (method, path, body, headers, status, scimType) => {
    if (path.includes('..')) return;
    const answered = await acme.send(method, path, body, headers);
    expect([answered.status, answered.body.scimType]).toEqual([status, scimType]);
    expect(answered.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    expect(answered.body).toMatchObject({ schemas: [errorSchema], status: String(status) });
    expect(answered.body.detail).toMatch(/\.$|^\w+ /);
    expect(JSON.stringify(answered.body)).not.toMatch(/\bat \w+ \(|node_modules|<html/i);
  });

  it('of credentials are errors of SCIM, too', async () => {
    const { status, body, headers } = await scim(running.app, undefined, 'GET', '/Users');
    expect([status, body.schemas]).toEqual([401, [errorSchema]]);
    expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it('accepts JSON with the usual media type, and a trailing slash', async () => {
    const json = { schemas: [userSchema], userName: 'plain@acme.example' };
    expect((await acme.send('POST', '/Users/', json, { 'content-type': 'application/json' })).status).toBe(201);
  });
});

describe('A body with many small values', () => {
  it('is refused without work', async () => {
    const Operations = Array.from({ length: 19_000 }, () => ({ op: 'replace', path: 'displayName', value: 'x' }));
    const { status } = await acme.send('PATCH', `/Users/${id}`, { schemas: [patchSchema], Operations });
    expect([200, 400]).toContain(status);
  });
});
