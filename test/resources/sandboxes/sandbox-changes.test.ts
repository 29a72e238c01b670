// Sandboxes and their previews created, updated and deleted through GraphQL: validation, expected versions, and change
// records.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertVolumes } from '../../../src/demo/rows/volume-input.js';
import { createKey, createTenant, createToken, frozenNow, graphql, rest, useApp } from '../../harness.js';
import type { Answer, Tenant } from '../../harness.js';
import {
  addRegions,
  historyOf,
  keyOfSomebody,
  mutate,
  problemsOf,
  startedInTurn,
  statementsDuring,
} from '../mutations.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let count = 0;
let main: string;
let owner: string;

beforeAll(() => addRegions(running.app));

async function freshTenant(): Promise<void> {
  const mark = `m${count++}`;
  main = `${mark}-main`;
  owner = `owner@${mark}.example.com`;
  tenant = await createTenant(running.app, { account: mark, workspaces: [main] });
  ({ key } = await createKey(running.app, tenant));
}

const sandboxFields = `sandbox { id version status metadata { name displayName externalId labels { key value } createdBy updatedBy }
  events { type status message }
  spec { enabled region runtime { memory image envs { name value secret } } volumes { type name mountPath sizeMb } } }`;
const previewFields = `sandboxPreview { id version metadata { name displayName resourceName resourceType createdBy updatedBy }
  events { type status message } spec { port public ttl region requestHeaders url expires } }`;

async function change(name: string, input: object, by = key): Promise<Answer['body']> {
  const fields = name.endsWith('Preview') ? previewFields : sandboxFields;
  return mutate(running.app, by, name, fields, { workspace: main, ...input });
}

const history = () => historyOf(running.app, tenant);

/** All sandboxes and previews of a workspace in the view of a caller. */
async function everything(): Promise<Answer['body']> {
  const query = `{ sandboxes(workspace: "${main}", orderBy: { field: NAME, direction: ASC }, first: 5) { totalCount nodes {
    ${sandboxFields.replace(/^sandbox \{/, '').replace(/\}$/, '')}
    previews(orderBy: { field: NAME, direction: ASC }, first: 5) { totalCount nodes { ${previewFields.replace(/^sandboxPreview \{/, '').replace(/\}$/, '')} } } } } }`;
  const { body } = await graphql(running.app, key, query);
  expect(body.errors).toBeUndefined();
  return body.data.sandboxes;
}

const typenames = (results: Answer['body'][]) => results.map(({ __typename }) => __typename).toSorted();

/** A sandbox `box` with a preview `view`. */
async function addBox(): Promise<void> {
  await change('createSandbox', { metadata: { name: 'box' } });
  await change('createSandboxPreview', { sandboxName: 'box', metadata: { name: 'view' }, spec: { port: 3000 } });
}

const mutations = [
  { name: 'createSandbox', scope: 'sandboxes:create', input: { metadata: { name: 'new' } } },
  { name: 'updateSandbox', scope: 'sandboxes:update', input: { name: 'box', metadata: { displayName: 'Box' } } },
  { name: 'deleteSandbox', scope: 'sandboxes:delete', input: { name: 'box' } },
  {
    name: 'createSandboxPreview',
    scope: 'sandboxes:update',
    input: { sandboxName: 'box', metadata: { name: 'new' } },
  },
  {
    name: 'updateSandboxPreview',
    scope: 'sandboxes:update',
    input: { sandboxName: 'box', name: 'view', spec: { port: 80 } },
  },
  { name: 'deleteSandboxPreview', scope: 'sandboxes:update', input: { sandboxName: 'box', name: 'view' } },
];
const payload = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}Payload`;

// Rejected requests change nothing, so all of them can be tested in one tenant before the change.
describe.each(mutations)('$name', ({ name, scope, input }) => {
  let stranger: Tenant;
  let would: Answer['body'];

  beforeAll(async () => {
    await freshTenant();
    await addBox();
    stranger = await createTenant(running.app, { account: `${main}-other`, workspaces: [`${main}-other`] });
  });

  it('returns 403 without its scope, for a viewer, and for a caller who cannot access the workspace', async () => {
    const others = ['create', 'update', 'delete', 'get', 'list'].map((verb) => `sandboxes:${verb}`);
    const { token } = await createToken(running.app, tenant, others.filter((each) => each !== scope).join(' '));
    const viewer = await keyOfSomebody(running.app, tenant, { account: 'viewer' });
    const { key: foreign } = await createKey(running.app, stranger);
    for (const by of [token, viewer, foreign]) {
      expect(await change(name, input, by)).toMatchObject({ __typename: 'ForbiddenError', code: 'forbidden' });
    }
    const elsewhere = await change(name, { ...input, workspace: `${main}-other` }, foreign);
    expect(elsewhere.__typename).toBe(name === 'createSandbox' ? payload(name) : 'NotFoundError');
    expect(await history()).toHaveLength(2);
  });

  it('returns 404 for an unknown resource, and names it', async () => {
    const fields = ['name', 'sandboxName'].filter((field) => field in input);
    for (const field of fields) {
      for (const unknown of ['nobody', 'no\u0000body', 'Not A Name']) {
        const { __typename, message } = await change(name, { ...input, [field]: unknown });
        const label = field === 'sandboxName' || name.endsWith('Sandbox') ? 'sandbox' : 'preview';
        expect({ __typename, message }).toEqual({
          __typename: 'NotFoundError',
          message: `There is no ${label} named ${JSON.stringify(unknown)} here.`,
        });
      }
    }
    expect(await history()).toHaveLength(2);
  });

  it('is rejected for an outdated version', async () => {
    if (name.startsWith('create')) return;
    expect(await change(name, { ...input, ifVersion: 7 })).toMatchObject({
      __typename: 'ConflictError',
      code: 'version_mismatch',
      currentVersion: 1,
      changedFields: [],
    });
    expect(await history()).toHaveLength(2);
  });

  it('changes nothing in a dry run', async () => {
    const before = await everything();
    would = await change(name, { ...input, validateOnly: true });
    expect(would.__typename).toBe(payload(name));
    expect(await everything()).toEqual(before);
    expect(await history()).toHaveLength(2);
  });

  it('works with only its scope, with the result of the dry run', async () => {
    const { token } = await createToken(running.app, tenant, scope);
    const isNew = name.startsWith('create');
    const done = await change(name, { ...input, ...(isNew ? {} : { ifVersion: 1 }) }, token);
    expect(done.__typename).toBe(payload(name));
    const [tried, made] = [would, done].map((each) => ({ ...(each.sandbox ?? each.sandboxPreview), id: '' }));
    expect(made).toEqual(tried);
    expect(await history()).toHaveLength(name === 'deleteSandbox' ? 4 : 3);
  });
});

describe('Of twelve concurrent callers', () => {
  it.each(mutations.filter(({ name }) => name.startsWith('create')))(
    '$name accepts one per name',
    async ({ name, input }) => {
      await freshTenant();
      await addBox();
      const results = await Promise.all(Array.from({ length: 12 }, () => change(name, input)));
      expect(typenames(results)).toEqual([...Array.from({ length: 11 }, () => 'ConflictError'), payload(name)]);
      expect(new Set(results.map(({ code }) => code))).toEqual(new Set([undefined, 'name_taken']));
      expect(await history()).toHaveLength(3);
    },
  );
});

describe('Rules of the specification', () => {
  // Invalid input changes nothing, so all of it can be tested in one tenant.
  beforeAll(async () => {
    await freshTenant();
    await addBox();
  });

  const volume = (more: object) => ({ type: 'EPHEMERAL', name: 'scratch', mountPath: '/a', sizeMb: 1, ...more });
  const sandbox = (metadata: object, spec: object = {}) => ({ metadata: { name: 'one', ...metadata }, spec });
  const preview = (metadata: object, spec: object = {}) => ({ sandboxName: 'box', ...sandbox(metadata, spec) });
  const broken: [string, object, string[]][] = [
    ['createSandbox', sandbox({ name: 'Not A Name' }), ['metadata.name invalid_format']],
    ['createSandbox', sandbox({ name: 'n'.repeat(50) }), ['metadata.name invalid_format']],
    ['createSandbox', sandbox({ displayName: 'd'.repeat(64) }), ['metadata.displayName too_long']],
    ['createSandbox', sandbox({ externalId: 'e'.repeat(65) }), ['metadata.externalId too_long']],
    ['createSandbox', sandbox({ externalId: 'not this' }), ['metadata.externalId invalid_format']],
    ['createSandbox', sandbox({}, { volumes: [volume({})] }), ['spec.region required']],
    ['createSandbox', sandbox({}, { region: 'eu-closed' }), ['spec.region not_available']],
    ['createSandbox', sandbox({}, { region: 'nowhere' }), ['spec.region not_available']],
    [
      'createSandbox',
      sandbox({}, { region: 'eu-open', volumes: [volume({ sizeMb: null }), volume({ mountPath: '/a/' })] }),
      ['spec.volumes.0.sizeMb required', 'spec.volumes.1.mountPath duplicate'],
    ],
    [
      'createSandbox',
      sandbox({}, { region: 'eu-open', volumes: [volume({ mountPath: 'a' }), { name: 'none', mountPath: '/b' }] }),
      ['spec.volumes.0.mountPath invalid_format', 'spec.volumes.1.name not_available'],
    ],
    [
      'createSandbox',
      sandbox({}, { region: 'eu-open', volumes: [{ name: 'none', mountPath: '/b' }] }),
      ['spec.volumes.0.name not_available'],
    ],
    [
      'createSandbox',
      sandbox({}, { runtime: { memory: 0, envs: [{ name: '1' }, { name: 'A' }, { name: 'A' }] } }),
      [
        'spec.runtime.envs.0.name invalid_format',
        'spec.runtime.envs.2.name duplicate',
        'spec.runtime.memory too_small',
      ],
    ],
    ['createSandboxPreview', preview({ name: '-' }), ['metadata.name invalid_format']],
    [
      'createSandboxPreview',
      preview({ displayName: '' }, { port: 65_536, ttl: 'soon', requestHeaders: { a: 'b\u0000' } }),
      [
        'metadata.displayName too_short',
        'spec.port too_large',
        'spec.requestHeaders.a invalid_format',
        'spec.ttl invalid_format',
      ],
    ],
    [
      'createSandboxPreview',
      preview({}, { responseHeaders: { ['__proto__']: 'x' } }),
      ['spec.responseHeaders.__proto__ invalid_value'],
    ],
    ['createSandboxPreview', preview({}, { region: 'eu-closed' }), ['spec.region not_available']],
    [
      'createSandboxPreview',
      preview({ name: '-' }, { region: 'eu-closed', port: 0 }),
      ['metadata.name invalid_format', 'spec.port too_small', 'spec.region not_available'],
    ],
    [
      'updateSandbox',
      {
        name: 'box',
        metadata: { externalId: ' ' },
        spec: { region: 'eu-closed', runtime: { envs: [{ name: 'A', value: '***', secret: true }] } },
      },
      ['metadata.externalId invalid_format', 'spec.region not_available', 'spec.runtime.envs.0.value invalid_value'],
    ],
    ['updateSandbox', { name: 'box', spec: { region: 'eu-closed' } }, ['spec.region not_available']],
    ['updateSandbox', { name: 'box', metadata: { externalId: ' ' } }, ['metadata.externalId invalid_format']],
    [
      'updateSandboxPreview',
      { sandboxName: 'box', name: 'view', spec: { port: 0, ttl: '1x' } },
      ['spec.port too_small', 'spec.ttl invalid_format'],
    ],
    [
      'updateSandboxPreview',
      { sandboxName: 'box', name: 'view', spec: { region: 'nowhere' } },
      ['spec.region not_available'],
    ],
    [
      'updateSandboxPreview',
      { sandboxName: 'box', name: 'view', spec: { region: 'nowhere', port: 0 } },
      ['spec.port too_small', 'spec.region not_available'],
    ],
  ];

  const cases = broken.map(([name, input, expected]) => ({ name, input, expected, rules: expected.join(', ') }));

  it.each(cases)('$name rejects invalid input: $rules', async ({ name, input, expected }) => {
    const refused = await change(name, input);
    expect(refused.__typename).toBe('InvalidInputError');
    expect(problemsOf(refused).toSorted()).toEqual(expected);
    for (const { path, message } of refused.problems) expect(message).toContain(path.join('.'));
    expect(await history()).toHaveLength(2);
  });

  it('are checked for a volume of the same workspace and region', async () => {
    const times = { createdAt: frozenNow.toISOString(), updatedAt: frozenNow.toISOString() };
    await insertVolumes(running.app.services.db, running.app.services.encryption, tenant.workspaces[main] ?? '', [
      { metadata: { name: 'data', ...times }, spec: { region: 'eu-open', sizeMb: 1 } },
    ]);
    const spec = { region: 'eu-open', volumes: [{ name: 'data', mountPath: '/data' }] };
    const { sandbox: made } = await change('createSandbox', { metadata: { name: 'one' }, spec });
    expect(made.spec.volumes).toEqual([{ type: 'PERSISTENT', name: 'data', mountPath: '/data', sizeMb: null }]);
  });
});

describe('A sandbox', () => {
  beforeEach(freshTenant);

  it('is found, counted and recorded immediately', async () => {
    const metadata = {
      name: 'box',
      displayName: 'The Box',
      externalId: 'x-1',
      labels: [{ key: 'team', value: 'blue' }],
    };
    const made = await change('createSandbox', { metadata, spec: { runtime: { memory: 2048, image: 'base' } } });
    expect(made.sandbox).toMatchObject({
      version: 1,
      status: 'DEPLOYED',
      metadata: { ...metadata, createdBy: owner, updatedBy: owner },
      spec: { enabled: true, runtime: { memory: 2048, image: 'base' } },
      events: [{ type: 'creation', status: 'CREATED', message: `Created by ${owner}` }],
    });
    expect(await everything()).toMatchObject({ totalCount: 1, nodes: [made.sandbox] });
    const found = await graphql(
      running.app,
      key,
      `{ sandboxes(workspace: "${main}", search: "BLUE") { totalCount nodes { id } } }`,
    );
    expect(found.body.data.sandboxes.nodes).toEqual([{ id: made.sandbox.id }]);
    expect(await history()).toMatchObject([
      { sequence: 1, kind: 'SANDBOX', verb: 'created', name: 'box', version: 1, before: null, actorName: owner },
    ]);
  });

  it('keeps omitted fields, clears null fields, and replaces its lists in an update', async () => {
    const labels = [{ key: 'team', value: 'blue' }];
    const runtime = { memory: 512, image: 'base', envs: [{ name: 'A', value: '1' }] };
    await change('createSandbox', {
      metadata: { name: 'box', displayName: 'Box', externalId: 'x', labels },
      spec: { runtime },
    });
    const changed = await change('updateSandbox', {
      name: 'box',
      metadata: { displayName: null, labels: [{ key: 'tier', value: 'gold' }] },
      spec: { enabled: false, runtime: { image: null, envs: [{ name: 'B', value: '2' }] } },
    });
    expect(changed.sandbox).toMatchObject({
      version: 2,
      status: 'DEACTIVATED',
      metadata: { displayName: null, externalId: 'x', labels: [{ key: 'tier', value: 'gold' }] },
      spec: { enabled: false, runtime: { memory: 512, image: null, envs: [{ name: 'B', value: '2' }] } },
      events: [{ type: 'creation' }, { type: 'update', message: `Updated by ${owner}` }],
    });
    expect((await everything()).nodes).toMatchObject([changed.sandbox]);
    const [, update] = await history();
    expect(update?.fields.toSorted()).toEqual([
      'metadata.displayName',
      'metadata.labels.team',
      'metadata.labels.tier',
      'spec.enabled',
      'spec.runtime.envs',
      'spec.runtime.image',
      'status',
    ]);
    const same = await change('updateSandbox', { name: 'box', spec: { enabled: false } });
    expect(same.sandbox.version).toBe(2);
    expect(await history()).toHaveLength(2);
  });

  it('encrypts its secrets, masks them, keeps them if the mask is sent back, and records none', async () => {
    const env = (value: string) => ({ runtime: { envs: [{ name: 'TOKEN', value, secret: true }] } });
    const stored = async () =>
      JSON.stringify(
        (await running.app.services.db.sandbox.findFirst({ where: { name: 'box', workspace: { name: main } } }))?.spec,
      );
    const valueOf = (text: string) => /"value":"([^"]+)"/.exec(text)?.[1] ?? '';
    await change('createSandbox', { metadata: { name: 'box' }, spec: env('the first secret') });
    const before = await stored();
    const kept = await change('updateSandbox', { name: 'box', metadata: { displayName: 'Box' }, spec: env('***') });
    expect(kept.sandbox).toMatchObject({ version: 2, spec: env('***') });
    expect(valueOf(await stored())).toBe(valueOf(before));
    const other = await change('updateSandbox', { name: 'box', spec: env('the other secret') });
    expect(other.sandbox).toMatchObject({ version: 3, spec: env('***') });
    expect(valueOf(await stored())).not.toBe(valueOf(before));
    const nothing = { runtime: { envs: [{ name: 'NEW', value: '***', secret: true }] } };
    expect((await change('updateSandbox', { name: 'box', spec: nothing })).problems).toMatchObject([
      { path: ['spec', 'runtime', 'envs', '0', 'value'], code: 'invalid_value' },
    ]);
    await change('deleteSandbox', { name: 'box' });
    const told = JSON.stringify(await history());
    for (const secret of ['first secret', 'other secret', valueOf(before)]) {
      expect(secret).not.toBe('');
      expect(told).not.toContain(secret);
    }
  });

  it('frees its name on deletion', async () => {
    await addBox();
    expect(await change('createSandbox', { metadata: { name: 'box' } })).toMatchObject({
      __typename: 'ConflictError',
      code: 'name_taken',
      message: expect.stringContaining('"box"'),
    });
    await change('deleteSandbox', { name: 'box' });
    await addBox();
    expect((await everything()).nodes).toMatchObject([{ version: 1, previews: { totalCount: 1 } }]);
  });
});

describe('Deleting a sandbox', () => {
  beforeEach(freshTenant);

  const spec = {
    port: 3000,
    public: true,
    ttl: '24h',
    requestHeaders: { 'x-a': 'é "quoted"' },
    expires: '2027-01-01T00:00:00.000Z',
  };

  it('deletes its previews, each with the record of a single deletion', async () => {
    await change('createSandbox', { metadata: { name: 'box' } });
    for (const name of ['alone', 'taken']) {
      await change('createSandboxPreview', { sandboxName: 'box', metadata: { name, displayName: 'View "é"' }, spec });
      await change('updateSandboxPreview', { sandboxName: 'box', name, spec: { public: false } });
    }
    await change('createSandboxPreview', { sandboxName: 'box', metadata: { name: 'plain' } });
    await change('deleteSandboxPreview', { sandboxName: 'box', name: 'alone' });
    const { sandbox } = await change('deleteSandbox', { name: 'box' });
    expect(sandbox).toMatchObject({ version: 1, events: [{ type: 'creation' }, { type: 'deletion' }] });
    expect((await everything()).totalCount).toBe(0);
    expect(await running.app.services.db.sandboxPreview.count({ where: { workspace: { name: main } } })).toBe(0);
    const changes = (await history()).slice(6);
    expect(changes.map(({ sequence, kind, name, verb }) => [sequence, kind, name, verb])).toEqual([
      [7, 'SANDBOX_PREVIEW', 'alone', 'deleted'],
      [8, 'SANDBOX', 'box', 'deleted'],
      [9, 'SANDBOX_PREVIEW', expect.stringMatching(/^(taken|plain)$/), 'deleted'],
      [10, 'SANDBOX_PREVIEW', expect.stringMatching(/^(taken|plain)$/), 'deleted'],
    ]);
    const [alone, taken] = ['alone', 'taken'].map((each) => changes.find(({ name }) => name === each));
    const own = { sequence: 0, resourceId: '', requestId: '' };
    expect(taken).toMatchObject({ version: 2, type: 'deletion', message: `Deleted by ${owner}`, actorName: owner });
    const record = JSON.parse(JSON.stringify({ ...taken, ...own }).replaceAll('taken', 'alone'));
    expect(record).toEqual(JSON.parse(JSON.stringify({ ...alone, ...own })));
  });

  it('takes as many statements for twelve previews as for none', async () => {
    await change('createSandbox', { metadata: { name: 'none' } });
    await change('createSandbox', { metadata: { name: 'twelve' } });
    const names = Array.from({ length: 12 }, (_, index) => `view-${index}`);
    await Promise.all(
      names.map((name) => change('createSandboxPreview', { sandboxName: 'twelve', metadata: { name } })),
    );
    const none = await statementsDuring(running.app, () => change('deleteSandbox', { name: 'none' }));
    expect(none).toBeLessThanOrEqual(5);
    expect(await statementsDuring(running.app, () => change('deleteSandbox', { name: 'twelve' }))).toBe(none);
    const sequences = (await history()).map(({ sequence }) => sequence);
    expect(sequences).toEqual(Array.from({ length: 28 }, (_, index) => index + 1));
  });

  it('again with its Idempotency-Key returns the same response', async () => {
    await addBox();
    const query = `mutation { deleteSandbox(input: { workspace: "${main}", name: "box" }) {
      __typename ... on DeleteSandboxPayload { ${sandboxFields} } } }`;
    const remove = () => graphql(running.app, key, query, {}, { 'idempotency-key': `deletion in ${main}` });
    const first = await remove();
    expect(first.body.data.deleteSandbox.__typename).toBe('DeleteSandboxPayload');
    expect((await remove()).body.data).toEqual(first.body.data);
    expect(await history()).toHaveLength(4);
  });

  it('and creating or deleting a preview of it in any order leaves none behind, and records each once', async () => {
    const changes = {
      sandbox: () => change('deleteSandbox', { name: 'box' }),
      create: () => change('createSandboxPreview', { sandboxName: 'box', metadata: { name: 'new' } }),
      delete: () => change('deleteSandboxPreview', { sandboxName: 'box', name: 'view' }),
    };
    const outcomes = async (...names: (keyof typeof changes)[]) => {
      await freshTenant();
      await addBox();
      const each = names.map((name) => changes[name]);
      const results = await startedInTurn(running.app, tenant.accountId, each);
      expect(await running.app.services.db.sandboxPreview.count({ where: { workspace: { name: main } } })).toBe(0);
      const told = (await history()).slice(2).map(({ kind, verb, name }) => `${kind} ${verb} ${name}`);
      return [results.map(({ __typename }) => __typename), told.toSorted()];
    };
    const [box, view] = ['SANDBOX deleted box', 'SANDBOX_PREVIEW deleted view'];
    expect(await outcomes('create', 'sandbox')).toEqual([
      ['CreateSandboxPreviewPayload', 'DeleteSandboxPayload'],
      [box, 'SANDBOX_PREVIEW created new', 'SANDBOX_PREVIEW deleted new', view],
    ]);
    expect(await outcomes('sandbox', 'create')).toEqual([
      ['DeleteSandboxPayload', 'NotFoundError'],
      [box, view],
    ]);
    expect(await outcomes('delete', 'sandbox')).toEqual([
      ['DeleteSandboxPreviewPayload', 'DeleteSandboxPayload'],
      [box, view],
    ]);
    expect(await outcomes('sandbox', 'delete')).toEqual([
      ['DeleteSandboxPayload', 'NotFoundError'],
      [box, view],
    ]);
  });

  it('and its previews concurrently records each once, and leaves none behind', async () => {
    await change('createSandbox', { metadata: { name: 'box' } });
    const old = Array.from({ length: 6 }, (_, index) => `old-${index}`);
    for (const name of old) await change('createSandboxPreview', { sandboxName: 'box', metadata: { name } });
    const results = await Promise.all([
      ...old.map((name) => change('deleteSandboxPreview', { sandboxName: 'box', name })),
      change('deleteSandbox', { name: 'box' }),
      ...old.map((name) => change('createSandboxPreview', { sandboxName: 'box', metadata: { name: `${name}-new` } })),
    ]);
    const outcomes = new Set(typenames(results));
    outcomes.delete('NotFoundError');
    expect([...outcomes].every((each) => each.endsWith('Payload'))).toBe(true);
    expect(await running.app.services.db.sandboxPreview.count({ where: { workspace: { name: main } } })).toBe(0);
    const previews = (await history()).filter(({ kind }) => kind === 'SANDBOX_PREVIEW');
    const made = previews.filter(({ verb }) => verb === 'created').map(({ name }) => name);
    const gone = previews.filter(({ verb }) => verb === 'deleted').map(({ name }) => name);
    expect(gone.toSorted()).toEqual(made.toSorted());
  });
});

describe('A preview', () => {
  beforeEach(freshTenant);

  it('links to its sandbox, and is updated field by field', async () => {
    await addBox();
    const spec = { port: 80, public: true, requestHeaders: { a: '1' }, region: 'eu-open', url: undefined };
    const made = await change('createSandboxPreview', { sandboxName: 'box', metadata: { name: 'two' }, spec });
    expect(made.sandboxPreview).toMatchObject({
      version: 1,
      metadata: { name: 'two', resourceName: 'box', resourceType: 'sandbox', createdBy: owner },
      spec: { port: 80, public: true, requestHeaders: { a: '***' }, region: 'eu-open', url: null },
      events: [{ type: 'creation' }],
    });
    const changed = await change('updateSandboxPreview', {
      sandboxName: 'box',
      name: 'two',
      metadata: { displayName: 'Two' },
      spec: { public: null, requestHeaders: { b: '2' } },
    });
    expect(changed.sandboxPreview).toMatchObject({
      version: 2,
      metadata: { displayName: 'Two' },
      spec: { port: 80, public: null, requestHeaders: { b: '***' }, region: 'eu-open' },
      events: [{ type: 'creation' }, { type: 'update' }],
    });
    const [box] = (await everything()).nodes;
    expect(box.previews.nodes).toMatchObject([changed.sandboxPreview, { metadata: { name: 'view' } }]);
  });

  it('reports who changed which fields since the given version', async () => {
    await addBox();
    const which = { sandboxName: 'box', name: 'view' };
    await change('updateSandboxPreview', { ...which, metadata: { displayName: 'View' } });
    expect(await change('updateSandboxPreview', { ...which, spec: { port: 80 }, ifVersion: 1 })).toMatchObject({
      code: 'version_mismatch',
      currentVersion: 2,
      updatedBy: owner,
      changedFields: ['metadata.displayName'],
    });
  });

  it('has a name that is unique within its sandbox', async () => {
    await addBox();
    await change('createSandbox', { metadata: { name: 'other' } });
    const inOther = { sandboxName: 'other', metadata: { name: 'view' } };
    expect((await change('createSandboxPreview', inOther)).__typename).toBe('CreateSandboxPreviewPayload');
    expect((await change('createSandboxPreview', inOther)).code).toBe('name_taken');
  });

  it('is deleted by REST with the scope admin only, as documented', async () => {
    await addBox();
    const { token } = await createToken(running.app, tenant, 'sandboxes:update');
    const request = { method: 'DELETE', headers: { 'x-service-workspace': main } };
    const path = '/sandboxes/box/previews/view';
    expect((await rest(running.app, path, { ...request, key: token })).status).toBe(403);
    expect((await rest(running.app, path, { ...request, key })).status).toBe(200);
  });

  it('is created in a sandbox of the same document', async () => {
    const make = (name: string) => `${name}: createSandboxPreview(input: { workspace: "${main}", sandboxName: "box",
      metadata: { name: "${name}" } }) { __typename }`;
    const query = `mutation { ${make('early')}
      box: createSandbox(input: { workspace: "${main}", metadata: { name: "box" } }) { __typename } ${make('late')} }`;
    const { body } = await graphql(running.app, key, query);
    expect(body.data).toMatchObject({
      early: { __typename: 'NotFoundError' },
      late: { __typename: 'CreateSandboxPreviewPayload' },
    });
  });
});
