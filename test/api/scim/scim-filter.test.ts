// Filters of SCIM, and pages. Generated filters on generated users are compared with an independent evaluation.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  filterDepthMax,
  filterLengthMax,
  filterTermsMax,
  parseFilter,
  parsePath,
} from '../../../src/api/scim/filter-parser.js';
import { useApp } from '../../harness.js';
import { createProvider, filtered } from './provider.js';
import type { Provider } from './provider.js';

describe('A filter is parsed', () => {
  const compare = (path: string, operator: string, value: unknown) => ({ type: 'compare', path, operator, value });

  it.each<[string, unknown]>([
    ['userName Eq "john"', compare('userName', 'eq', 'john')],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"', compare('userName', 'sw', 'J')],
    ['title pr', { type: 'present', path: 'title' }],
    ['meta.lastModified gt "2011-05-13T04:42:34Z"', compare('meta.lastModified', 'gt', '2011-05-13T04:42:34Z')],
    [
      'title pr and userType eq "Employee"',
      { type: 'and', filters: [{ type: 'present', path: 'title' }, compare('userType', 'eq', 'Employee')] },
    ],
    [
      'a eq 1 or b eq 2 and c eq 3',
      {
        type: 'or',
        filters: [compare('a', 'eq', 1), { type: 'and', filters: [compare('b', 'eq', 2), compare('c', 'eq', 3)] }],
      },
    ],
    [
      'userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")',
      {
        type: 'and',
        filters: [
          compare('userType', 'ne', 'Employee'),
          {
            type: 'not',
            filter: {
              type: 'or',
              filters: [compare('emails', 'co', 'example.com'), compare('emails.value', 'co', 'example.org')],
            },
          },
        ],
      },
    ],
    [
      'emails[type eq "work" and value co "@example.com"]',
      {
        type: 'values',
        path: 'emails',
        filter: { type: 'and', filters: [compare('type', 'eq', 'work'), compare('value', 'co', '@example.com')] },
      },
    ],
    ['(active eq true)', compare('active', 'eq', true)],
    ['externalId eq null', compare('externalId', 'eq', null)],
    ['a eq "q\\"\\u00e9"', compare('a', 'eq', 'q"é')],
    [
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "x"',
      compare('urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', 'eq', 'x'),
    ],
  ])('%s', (text, tree) => expect(parseFilter(text)).toEqual(tree));

  it.each([
    '',
    ' ',
    'userName',
    'userName eq',
    'userName eq john',
    "userName eq 'john'",
    'userName is "x"',
    'eq "x"',
    '"x" eq userName',
    'userName eq "x" and',
    'and userName pr',
    '(userName pr',
    'userName pr)',
    'not userName pr',
    'userName pr or or a pr',
    'userName eq "x',
    'emails[',
    'emails[]',
    'emails[type eq "x"',
    'a.b.c pr',
    'userName eq {"a":1}',
    'userName eq [1]',
    'userName pr; DROP TABLE principal',
    `${'('.repeat(filterDepthMax + 2)}a pr${')'.repeat(filterDepthMax + 2)}`,
    Array.from({ length: filterTermsMax + 1 }, () => 'a pr').join(' or '),
    `a eq "${'x'.repeat(filterLengthMax)}"`,
    '('.repeat(8_000),
    'not ('.repeat(1_600),
    'a[b['.repeat(1_000),
  ])('or refused: %#', (text) => {
    expect(() => parseFilter(text)).toThrow(expect.objectContaining({ status: 400, scimType: 'invalidFilter' }));
  });

  it('in time that grows with its length only, whatever the text', () => {
    const startedMs = performance.now();
    for (const text of ['x'.repeat(1_000_000), '"'.repeat(1_000_000), `a eq "${'\\'.repeat(8_000)}`, ' '.repeat(8_000)])
      expect(() => parseFilter(text)).toThrow(/filter/);
    expect(performance.now() - startedMs).toBeLessThan(500);
  });

  it('and so are paths of PATCH', () => {
    expect(parsePath('members')).toEqual({ path: 'members' });
    expect(parsePath('name.familyName')).toEqual({ path: 'name.familyName' });
    expect(parsePath('members[value eq "1"]')).toEqual({ path: 'members', filter: compare('value', 'eq', '1') });
    expect(parsePath('emails[type eq "work"].value')).toEqual({
      path: 'emails',
      filter: compare('type', 'eq', 'work'),
      sub: 'value',
    });
    for (const path of ['', 'a b', 'a[', 'a[b pr]c', 'a..b', 'urn:', '[a pr]'])
      expect(() => parsePath(path)).toThrow(expect.objectContaining({ scimType: 'invalidPath' }));
  });
});

const running = useApp({ SCIM_DOMAINS: 'acme.example=acme' });
let acme: Provider;

interface User {
  userName: string;
  externalId?: string;
  displayName?: string;
  name?: { givenName?: string; familyName?: string };
  emails?: { value: string; type?: string; primary?: boolean }[];
  active: boolean;
}

const words = ['ada', 'Ada', 'adam', 'bob', 'BOB', 'b%b', 'b_b', 'a"b', 'a\\b', 'zoë', '10', '9'];

/** Users that share many values, so that filters match some of them. */
const users: User[] = fc
  .sample(
    fc.record<User>(
      {
        userName: fc.constant(''),
        externalId: fc.constantFrom(...words),
        displayName: fc.constantFrom(...words),
        name: fc.record(
          { givenName: fc.constantFrom(...words), familyName: fc.constantFrom(...words) },
          { requiredKeys: ['givenName'] },
        ),
        emails: fc.array(
          fc.record(
            { value: fc.constantFrom(...words), type: fc.constantFrom('work', 'home', 'WORK'), primary: fc.boolean() },
            { requiredKeys: ['value'] },
          ),
          { minLength: 1, maxLength: 3 },
        ),
        active: fc.boolean(),
      },
      { requiredKeys: ['userName', 'active'] },
    ),
    { numRuns: 60, seed: 7643 },
  )
  .map((user, index) => ({ ...user, userName: `${words[index % 4]}${index}@acme.example` }));

beforeAll(async () => {
  acme = await createProvider(running.app, 'acme');
  for (const user of users) {
    // Two primary addresses are not stored as such.
    for (const email of user.emails?.slice(1) ?? []) delete email.primary;
    await acme.create(user.userName, user);
  }
});

type Tree =
  | { not: Tree }
  | { all: Tree[] }
  | { any: Tree[] }
  | { path: string; operator: string; value?: unknown }
  | { within: Tree };

const texts = [
  'userName',
  'externalId',
  'displayName',
  'name.givenName',
  'name.familyName',
  'emails.value',
  'emails.type',
  'emails',
];

const textTerm = (paths: string[]): fc.Arbitrary<Tree> =>
  fc.record({
    path: fc.constantFrom(...paths),
    operator: fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'),
    value: fc.oneof(fc.constantFrom(...words), fc.constantFrom('a', 'b', '@acme', '', 'work', 'ada0@acme.example')),
  });

const term: fc.Arbitrary<Tree> = fc.oneof(
  { weight: 6, arbitrary: textTerm(texts) },
  fc.record({ path: fc.constantFrom(...texts, 'active'), operator: fc.constant('pr') }),
  fc.record({ path: fc.constant('active'), operator: fc.constantFrom('eq', 'ne'), value: fc.boolean() }),
  fc.record({
    path: fc.constantFrom('externalId', 'displayName'),
    operator: fc.constantFrom('eq', 'ne'),
    value: fc.constant(null),
  }),
);

const { tree } = fc.letrec<{ tree: Tree; inner: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    term,
    fc.record({ not: tie('tree') }),
    fc.record({ all: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }) }),
    fc.record({ within: tie('inner') }),
  ),
  inner: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    textTerm(['value', 'type']),
    fc.record({ path: fc.constant('primary'), operator: fc.constantFrom('eq', 'ne'), value: fc.boolean() }),
    fc.record({ not: tie('inner') }),
    fc.record({ all: fc.array(tie('inner'), { minLength: 2, maxLength: 2 }) }),
    fc.record({ any: fc.array(tie('inner'), { minLength: 2, maxLength: 2 }) }),
  ),
}));

/** A tree as the text of a filter, with as few brackets as the precedence of the RFC allows. */
function written(filter: Tree, within = 0): string {
  const bracketed = (level: number, text: string) => (level < within ? `(${text})` : text);
  if ('not' in filter) return `not (${written(filter.not)})`;
  if ('all' in filter) return bracketed(1, filter.all.map((each) => written(each, 2)).join(' and '));
  if ('any' in filter) return bracketed(0, filter.any.map((each) => written(each, 1)).join(' or '));
  if ('within' in filter) return `emails[${written(filter.within)}]`;
  return filter.operator === 'pr'
    ? `${filter.path} pr`
    : `${filter.path} ${filter.operator} ${JSON.stringify(filter.value)}`;
}

/** The values of a path in a resource, null for absent ones, read as the RFC says, with no part of the service. */
function valuesOf(resource: unknown, path: string): unknown[] {
  const [name = '', sub] = path.split('.');
  const value = Object(resource)[name];
  if (Array.isArray(value)) return value.map((each: unknown) => Object(each)[sub ?? 'value'] ?? null);
  if (isSeveral(path)) return [];
  return [(sub === undefined ? value : Object(value)[sub]) ?? null];
}

const isSeveral = (path: string) => path.startsWith('emails');

function isMatching(filter: Tree, resource: unknown): boolean {
  if ('not' in filter) return !isMatching(filter.not, resource);
  if ('all' in filter) return filter.all.every((each) => isMatching(each, resource));
  if ('any' in filter) return filter.any.some((each) => isMatching(each, resource));
  if ('within' in filter)
    return (Object(resource).emails ?? []).some((email: unknown) => isMatching(filter.within, email));
  const { path, operator, value } = filter;
  const values = valuesOf(resource, path);
  if (operator === 'pr') return values.some((each) => each !== null);
  const lower = (each: unknown) =>
    typeof each === 'string' && path !== 'externalId'
      ? each.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
      : each;
  // Several values match if any of them does. An absent one is equal to null only.
  return values.some((each) => {
    const [left, right] = [lower(each), lower(value)];
    if (operator === 'eq') return left === right;
    if (operator === 'ne') return left !== right;
    if (typeof left !== 'string' || typeof right !== 'string') return false;
    const order = Buffer.compare(Buffer.from(left), Buffer.from(right));
    const answers: Record<string, boolean> = {
      co: left.includes(right),
      sw: left.startsWith(right),
      ew: left.endsWith(right),
      gt: order > 0,
      ge: order >= 0,
      lt: order < 0,
      le: order <= 0,
    };
    return answers[operator] === true;
  });
}

describe('A filter of users', () => {
  it('finds the same users as an independent evaluation', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(tree, async (filter) => {
        const text = written(filter);
        const { status, body } = await acme.send('GET', filtered('/Users', text, '&count=200&attributes=userName'));
        expect([status, body.detail]).toEqual([200, undefined]);
        const names = body.Resources.map(({ userName }: User) => userName);
        expect({ text, names: names.toSorted() }).toEqual({
          text,
          names: users.flatMap((user) => (isMatching(filter, user) ? [user.userName] : [])).toSorted(),
        });
        found += names.length;
      }),
      { numRuns: 250 },
    );
    expect(found).toBeGreaterThan(250);
  });

  it('compares times', async () => {
    const total = async (filter: string) => (await acme.send('GET', filtered('/Users', filter))).body.totalResults;
    expect(await total('meta.created ge "2026-11-20T12:00:00Z"')).toBe(users.length);
    expect(await total('meta.created eq "2026-11-20T14:00:00+02:00"')).toBe(users.length);
    expect(await total('meta.lastModified lt "2026-11-20T12:00:00.000Z"')).toBe(0);
    expect(await total('meta.lastModified lt "2026-11-20T12:00:00.000001Z"')).toBe(users.length);
    expect(await total('meta.created ge "2026-11-20T12:00:00.000001Z"')).toBe(0);
    expect(await total('meta.created eq "2026-11-20T12:00:00.000001Z"')).toBe(0);
    expect(await total('active eq "True" or active eq "false"')).toBe(users.length);
  });

  it('is present or absent as a whole, and of a type', async () => {
    const total = async (filter: string, path = '/Users') =>
      (await acme.send('GET', filtered(path, filter))).body.totalResults;
    const named = users.filter(({ name }) => name !== undefined).length;
    expect(await total('name pr')).toBe(named);
    expect(await total('name eq null')).toBe(users.length - named);
    expect(await total('meta.resourceType eq "User"')).toBe(users.length);
    expect(await total('meta.resourceType eq "Group"')).toBe(0);
    const groups = await total('meta.resourceType pr', '/Groups');
    expect(await total('meta.resourceType eq "Group"', '/Groups')).toBe(groups);
  });

  it.each([
    'nickName eq "x"',
    'emails.display eq "x"',
    'name[givenName eq "x"]',
    'userName[value eq "x"]',
    'active gt true',
    'active eq "x"',
    'userName eq 5',
    'userName gt null',
    'meta.created co "2026"',
    'meta.created eq "yesterday"',
    'meta.created eq "2026-99-99T00:00:00Z"',
    'meta.created gt "0000-01-01T00:00:00Z"',
    'meta.created lt "0001-01-01T00:00:00+01:00"',
    'meta.created lt "9999-12-31T23:59:59-05:00"',
    'userName eq "a\\u0000b"',
    'constructor eq "x"',
    '__proto__ pr',
    'emails[emails pr]',
    'emails.constructor eq "x"',
    'name eq "x"',
    'schemas pr',
    'schemas eq "urn:ietf:params:scim:schemas:core:2.0:User"',
    'meta.location pr',
    'groups.$ref pr',
  ])('is refused with invalidFilter: %s', async (filter) => {
    const { status, body } = await acme.send('GET', filtered('/Users', filter));
    expect([status, body.scimType]).toEqual([400, 'invalidFilter']);
  });

  it('of a megabyte is refused, in the URL and in the body of a search', async () => {
    const filter = `userName eq "${'x'.repeat(1_000_000)}"`;
    const searched = await acme.send('POST', '/Users/.search', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter,
    });
    expect(searched.body).toMatchObject({ status: '400', scimType: 'invalidFilter' });
  });
});

describe('A page of users', () => {
  const page = async (query: string) => (await acme.send('GET', `/Users?${query}`)).body;

  it('begins at startIndex, which is 1 at least, and has at most count users', async () => {
    const all = await page('count=200');
    expect(all).toMatchObject({ totalResults: users.length, startIndex: 1, itemsPerPage: users.length });
    const ids = ({ Resources }: { Resources: { id: string }[] }) => Resources.map(({ id }) => id);
    const pages = [
      await page('startIndex=1&count=25'),
      await page('startIndex=26&count=25'),
      await page('startIndex=51&count=25'),
    ];
    expect(pages.map(({ itemsPerPage }) => itemsPerPage)).toEqual([25, 25, 10]);
    expect(pages.flatMap(ids)).toEqual(ids(all));
    expect(await page('startIndex=0&count=1')).toMatchObject({ startIndex: 1, itemsPerPage: 1 });
    expect(await page('startIndex=-5&count=-1')).toMatchObject({ startIndex: 1, itemsPerPage: 0, Resources: [] });
    expect(await page('count=0')).toMatchObject({ totalResults: users.length, itemsPerPage: 0, Resources: [] });
    expect(await page('startIndex=1000')).toMatchObject({
      totalResults: users.length,
      itemsPerPage: 0,
      startIndex: 1000,
    });
    expect((await page('count=100000')).itemsPerPage).toBe(users.length);
    for (const query of ['count=many', 'startIndex=1.5', 'startIndex=99999999999', 'count=1&count=2'])
      expect((await page(query)).scimType).toBe('invalidValue');
  });

  it('has the attributes that are asked for', async () => {
    const [only] = (await page('count=1&attributes=userName,name.givenName,meta.location')).Resources;
    expect(Object.keys(only)).toEqual(expect.arrayContaining(['schemas', 'id', 'userName', 'meta']));
    expect(Object.keys(only.meta)).toEqual(['location']);
    expect(only.active).toBeUndefined();
    const [without] = (await page('count=1&excludedAttributes=USERNAME,groups,id,meta.version')).Resources;
    expect(without).not.toHaveProperty('userName');
    expect(without).not.toHaveProperty('groups');
    expect(without.id).toBeDefined();
    expect(Object.keys(without.meta)).toEqual(['resourceType', 'created', 'lastModified', 'location']);
    expect((await page('attributes=id&excludedAttributes=id')).scimType).toBe('invalidValue');
  });

  it('is the answer of a search, too', async () => {
    const { status, body } = await acme.send('POST', '/Users/.search', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter: 'active eq true',
      startIndex: 2,
      count: 3,
      attributes: ['userName'],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ startIndex: 2, itemsPerPage: 3 });
    expect(Object.keys(body.Resources[0]).toSorted()).toEqual(['id', 'schemas', 'userName']);
  });
});
