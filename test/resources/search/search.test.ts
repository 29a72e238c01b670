// A search across kinds: its results, order, pages, permissions, and number of statements.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../../src/api/graphql/global-id.js';
import { insertImages } from '../../../src/demo/rows/image-input.js';
import { insertJobs } from '../../../src/demo/rows/job-input.js';
import { readHits } from '../../../src/resources/search/search-statements.js';
import { insertVolumes } from '../../../src/demo/rows/volume-input.js';
import { addAgents, anAgent, createKey, createTenant, frozenNow, graphql, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';
import { addPlatform } from '../../platform.js';
import type { Platform } from '../../platform.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let north: Platform;
const times = { createdAt: frozenNow.toISOString(), updatedAt: frozenNow.toISOString() };

interface Known {
  kind: string;
  name: string;
  workspace: string;
  /** The searched fields. */
  texts: string[];
}

const known: Known[] = [];
const kinds = ['AGENT', 'SANDBOX', 'SANDBOX_PREVIEW', 'JOB', 'VOLUME', 'IMAGE', 'VPC', 'EGRESS_GATEWAY', 'EGRESS_IP'];

beforeAll(async () => {
  const { app } = running;
  const { db, encryption } = app.services;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'side'] });
  const other = await createTenant(app, { account: 'southwind', workspaces: ['south'] });
  ({ key } = await createKey(app, tenant));
  north = await addPlatform(app, tenant.workspaces['main'] ?? '', 'north');
  await addPlatform(app, other.workspaces['south'] ?? '', 'north');
  const suffixes = { AGENT: 'agent', SANDBOX: 'sandbox', SANDBOX_PREVIEW: 'preview', JOB: 'job', VOLUME: 'volume' };
  const networks = { VPC: 'vpc', EGRESS_GATEWAY: 'gateway', EGRESS_IP: 'ip' };
  for (const [kind, suffix] of Object.entries({ ...suffixes, ...networks })) {
    const display = kind === 'AGENT' ? '' : kind === 'SANDBOX_PREVIEW' ? 'preview north-preview' : `north ${suffix}`;
    known.push({ kind, name: `north-${suffix}`, workspace: 'main', texts: [`north-${suffix}`, display] });
  }
  known.push({ kind: 'IMAGE', name: 'north-image', workspace: 'main', texts: ['north-image'] });
  for (const [workspace, id] of Object.entries(tenant.workspaces)) {
    const named = ['pilot', 'pilot-two', 'co-pilot', 'autopilot', 'harbour'];
    await addAgents(
      app,
      id,
      named.map((name) =>
        anAgent(name, { metadata: { displayName: `Agent ${name}`, labels: { team: 'pilot-crew' } } }),
      ),
    );
    await insertJobs(db, encryption, id, [
      { metadata: { name: 'pilot', displayName: 'Nightly', ...times }, spec: { timeout: 60 } },
    ]);
    await insertVolumes(db, encryption, id, [
      { metadata: { name: 'logs', displayName: 'Of the PILOT', ...times }, spec: { region: 'r', sizeMb: 1 } },
    ]);
    const anImage = (resourceType: 'agents' | 'jobs') => ({ resourceType, name: 'pilot', ...times, tags: [] });
    await insertImages(db, id, [anImage('agents'), anImage('jobs')]);
    for (const name of named) {
      known.push({ kind: 'AGENT', name, workspace, texts: [name, `agent ${name}`, 'team', 'pilot-crew'] });
    }
    known.push({ kind: 'JOB', name: 'pilot', workspace, texts: ['pilot', 'nightly'] });
    known.push({ kind: 'VOLUME', name: 'logs', workspace, texts: ['logs', 'of the pilot'] });
    for (let count = 0; count < 2; count += 1) {
      known.push({ kind: 'IMAGE', name: 'pilot', workspace, texts: ['pilot'] });
    }
  }
});

async function ask(query: string, variables: Record<string, unknown> = {}, as = key) {
  const { body } = await graphql(running.app, as, query, variables);
  return body;
}

interface Hit {
  id: string;
  kind: string;
  name: string;
  workspace: { name: string };
}

interface Page {
  totalCount: number;
  filteredCount: number;
  nodes: Hit[];
  pageInfo: { startCursor: string | null; endCursor: string | null; hasNextPage: boolean; hasPreviousPage: boolean };
}

const query = `query ($text: String!, $kinds: [SearchKind!], $workspace: String, $first: Int, $after: String, $last: Int, $before: String) {
  search(text: $text, kinds: $kinds, workspace: $workspace, first: $first, after: $after, last: $last, before: $before) {
    totalCount filteredCount
    nodes { id kind name displayName status workspace { name } }
    pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
  }
}`;

async function search(variables: Record<string, unknown>, as = key): Promise<Page> {
  const body = await ask(query, variables, as);
  expect(body.errors).toBeUndefined();
  return body.data.search;
}

const told = ({ kind, name, workspace }: Hit) => `${kind} ${name} ${workspace.name}`;

/** The results of a text, in order; resources of the same name and kind in any workspace. */
function expected(text: string, given: string[] | undefined, workspace: string | undefined): string[] {
  const term = text.trim().toLowerCase();
  if (term.length < 2) return [];
  const rank = ({ name }: Known) => (name.startsWith(term) ? 0 : 1);
  const compare = (one: number | string, other: number | string) => (one === other ? 0 : one < other ? -1 : 1);
  return known
    .filter((each) => each.texts.some((one) => one.includes(term)))
    .filter((each) => given === undefined || given.includes(each.kind))
    .filter((each) => workspace === undefined || each.workspace === workspace)
    .toSorted(
      (one, other) =>
        compare(rank(one), rank(other)) ||
        compare(one.name, other.name) ||
        compare(kinds.indexOf(one.kind), kinds.indexOf(other.kind)),
    )
    .map(({ kind, name }) => `${kind} ${name}`);
}

const withoutWorkspace = (hits: Hit[]) => hits.map(({ kind, name }) => `${kind} ${name}`);

/** All pages, in the order of the list. */
async function walk(variables: Record<string, unknown>, size: number, isBackward: boolean): Promise<Hit[]> {
  const hits: Hit[] = [];
  let cursor: string | null = null;
  for (;;) {
    const slice: Record<string, unknown> = isBackward ? { last: size, before: cursor } : { first: size, after: cursor };
    const { nodes, pageInfo } = await search({ ...variables, ...slice });
    if (isBackward) hits.unshift(...nodes);
    else hits.push(...nodes);
    expect(nodes.length).toBeLessThanOrEqual(size);
    if (!(isBackward ? pageInfo.hasPreviousPage : pageInfo.hasNextPage)) return hits;
    cursor = isBackward ? pageInfo.startCursor : pageInfo.endCursor;
  }
}

describe('A search across kinds', () => {
  it('lists exact names first, then names with the prefix, then other matches', async () => {
    const { nodes } = await search({ text: 'pilot', workspace: 'main' });
    expect(nodes.map(told)).toEqual([
      'AGENT pilot main',
      'JOB pilot main',
      'IMAGE pilot main',
      'IMAGE pilot main',
      'AGENT pilot-two main',
      'AGENT autopilot main',
      'AGENT co-pilot main',
      'AGENT harbour main',
      'VOLUME logs main',
    ]);
  });

  it('finds every kind, with a global id', async () => {
    const { nodes, totalCount, filteredCount } = await search({ text: 'north' });
    expect(new Set(nodes.map(({ kind }) => kind))).toEqual(new Set(kinds));
    expect(filteredCount).toBe(kinds.length);
    expect(totalCount).toBe(known.length);
    const agent = nodes.find(({ kind }) => kind === 'AGENT');
    expect(agent).toMatchObject({ id: encodeGlobalId('Agent', north.Agent), status: 'DEPLOYED', displayName: null });
    const body = await ask(
      '{ search(text: "north") { nodes { id name resource { id __typename ... on Resource { metadata { name } } } } } }',
    );
    expect(body.errors).toBeUndefined();
    for (const { id, resource } of body.data.search.nodes) expect(resource.id).toBe(id);
  });

  it('equals a plain search in memory, page by page, in both directions', { timeout: 300_000 }, async () => {
    const text = fc.constantFrom(
      'pilot',
      ' PILOT ',
      'pi',
      'o',
      'north',
      'crew',
      'ew',
      'nothing',
      '-',
      'agent',
      'e p',
      '%',
      '_',
    );
    const given = fc.option(fc.subarray(kinds, { minLength: 1 }), { nil: undefined });
    const workspace = fc.constantFrom(undefined, 'main', 'side');
    const size = fc.integer({ min: 1, max: 7 });
    await fc.assert(
      fc.asyncProperty(text, given, workspace, size, async (some, among, within, pageSize) => {
        const variables = { text: some, kinds: among, workspace: within };
        const right = expected(some, among, within);
        const whole = await search({ ...variables, first: 200 });
        expect(withoutWorkspace(whole.nodes)).toEqual(right);
        expect(whole.filteredCount).toBe(right.length);
        expect(await walk(variables, pageSize, false)).toEqual(whole.nodes);
        expect(await walk(variables, pageSize, true)).toEqual(whole.nodes);
      }),
      { numRuns: 15 },
    );
  });

  it('skips and repeats nothing while resources are created and deleted', async () => {
    const { db } = running.app.services;
    const { side } = tenant.workspaces;
    await addAgents(
      running.app,
      side,
      Array.from({ length: 9 }, (_, index) => anAgent(`shift-${index}`)),
    );
    const first = await search({ text: 'shift', first: 4 });
    await db.agent.deleteMany({ where: { name: { in: ['shift-1', 'shift-3'] } } });
    await addAgents(running.app, side, [anAgent('shift-0-late'), anAgent('shift-5-late'), anAgent('night-shift')]);
    const second = await search({ text: 'shift', first: 4, after: first.pageInfo.endCursor });
    const third = await search({ text: 'shift', first: 4, after: second.pageInfo.endCursor });
    expect([first, second, third].map(({ nodes }) => nodes.map(({ name }) => name))).toEqual([
      ['shift-0', 'shift-1', 'shift-2', 'shift-3'],
      ['shift-4', 'shift-5', 'shift-5-late', 'shift-6'],
      ['shift-7', 'shift-8', 'night-shift'],
    ]);
    expect(third.pageInfo.hasNextPage).toBe(false);
    await db.agent.deleteMany({ where: { name: { contains: 'shift' } } });
  });

  it('finds frequent and rare names among many', async () => {
    const { side } = tenant.workspaces;
    const many = Array.from({ length: 400 }, (_, index) =>
      anAgent(`many-${String(index).padStart(3, '0')}`, {
        metadata: {
          labels: { shade: index % 2 === 0 ? 'azure' : 'ochre', number: index === 377 ? 'lonely' : 'crowd' },
        },
      }),
    );
    await addAgents(running.app, side, many);
    const even = await walk({ text: 'azure' }, 60, false);
    expect(even.map(({ name }) => name)).toEqual(
      many.flatMap(({ metadata }, index) => (index % 2 === 0 ? [metadata.name] : [])),
    );
    expect((await search({ text: 'lonely' })).nodes.map(({ name }) => name)).toEqual(['many-377']);
    expect(await search({ text: 'crowd', first: 0 })).toMatchObject({ nodes: [], filteredCount: 399 });
    await running.app.services.db.agent.deleteMany({ where: { name: { startsWith: 'many-' } } });
  });

  it('takes at most three statements for a page, for any number of kinds and workspaces', async () => {
    for (const [text, most] of [
      ['north', 3],
      ['nothing', 3],
    ] as const) {
      running.app.statements.length = 0;
      await ask('query ($text: String!) { search(text: $text) { nodes { name workspace { name } } } }', { text });
      expect(running.app.statements.filter((sql) => sql.includes('"sandbox_preview"')).length).toBeLessThanOrEqual(
        most,
      );
    }
    running.app.statements.length = 0;
    await ask('{ search(text: "pilot", first: 3) { nodes { name } } }');
    expect(running.app.statements.filter((sql) => sql.includes('"sandbox_preview"'))).toHaveLength(1);
  });
});

describe('The results of a search', () => {
  it('are the resources that the credential may list', async () => {
    const { key: narrow } = await createKey(running.app, { ...tenant, scope: 'jobs:list volumes:list' });
    const page = await search({ text: 'pilot', workspace: 'main' }, narrow);
    expect(page.nodes.map(told)).toEqual(['JOB pilot main', 'VOLUME logs main']);
    expect(page.totalCount).toBe(4);
    const body = await ask('{ search(text: "pilot", kinds: [JOB, AGENT]) { nodes { name } } }', {}, narrow);
    expect(body.data.search).toBeNull();
    expect(body.errors).toMatchObject([{ extensions: { code: 'forbidden', status: 403 } }]);
  });

  it('are empty without a scope that lists a kind', async () => {
    const { key: narrow } = await createKey(running.app, { ...tenant, scope: 'agents:get' });
    const body = await ask('{ search(text: "pilot") { nodes { name } } }', {}, narrow);
    expect(body.errors).toMatchObject([{ extensions: { code: 'forbidden' } }]);
  });

  it('are of one workspace for a key that is confined to it', async () => {
    const { key: confined } = await createKey(running.app, { ...tenant, workspaceId: tenant.workspaces['side'] ?? '' });
    const { nodes } = await search({ text: 'pilot' }, confined);
    expect(new Set(nodes.map(({ workspace }) => workspace.name))).toEqual(new Set(['side']));
    const body = await ask(query, { text: 'pilot', workspace: 'main' }, confined);
    expect(body.errors).toMatchObject([{ extensions: { code: 'forbidden' } }]);
  });

  it.each([
    ['a text of 201 characters', { text: 'x'.repeat(201) }, 'invalid_parameter'],
    ['a control character', { text: 'a\u0000b' }, 'invalid_parameter'],
    ['no cursor of this service', { text: 'pilot', after: 'nonsense' }, 'cursor_invalid'],
    ['a page of 201', { text: 'pilot', first: 201 }, 'invalid_parameter'],
    ['a workspace of another tenant', { text: 'pilot', workspace: 'south' }, 'forbidden'],
    ['a workspace that there is not', { text: 'pilot', workspace: 'nowhere' }, 'forbidden'],
  ])('are denied for %s', async (_what, variables, code) => {
    const body = await ask(query, variables);
    expect(body.data.search).toBeNull();
    expect(body.errors).toMatchObject([{ extensions: { code } }]);
  });

  it('reject a cursor of another search', async () => {
    const { pageInfo } = await search({ text: 'pilot', first: 1 });
    const body = await ask(query, { text: 'north', after: pageInfo.endCursor });
    expect(body.errors).toMatchObject([{ extensions: { code: 'cursor_mismatch' } }]);
  });
});

describe('A search of which a result is deleted between its statements', () => {
  it('has the results behind it', async () => {
    const { db } = running.app.services;
    const { workspaces } = await createTenant(running.app, { account: 'eastwind', workspaces: ['few', 'many'] });
    const [few = '', many = ''] = [workspaces['few'], workspaces['many']];
    await addAgents(running.app, few, [anAgent('a-race')]);
    await addAgents(
      running.app,
      many,
      ['b', 'c', 'd', 'e'].map((letter) => anAgent(`${letter}-race`)),
    );
    let count = 0;
    const reads = {
      $text: async (statement: Parameters<typeof db.$text>[0]) => {
        const text = await db.$text(statement);
        // The first statement finds no name that starts with the text.
        count += 1;
        if (count === 2) await db.agent.deleteMany({ where: { name: 'a-race' } });
        return text;
      },
    };
    const query = { kinds: ['AGENT'], workspaceIds: [few, many], term: 'race' } as const;
    const hits = await readHits(reads, query, { size: 2, direction: 'forward' }, 3);
    expect(count).toBe(3);
    expect(hits.map(({ name }) => name)).toEqual(['b-race', 'c-race', 'd-race']);
  });
});
