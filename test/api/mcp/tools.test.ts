import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { globalId } from '../../../src/pagination/global-id.js';
import { applyKinds } from '../../../src/manifests/apply-kind.js';
import {
  deleteDocument,
  redeployDocument,
  documentById,
  documentByName,
  listedKinds,
  namedKinds,
} from '../../../src/api/mcp/kind-documents.js';
import { fittingCount, fittingPage } from '../../../src/api/mcp/tool-result.js';
import { documentNames, documentText } from '../../../src/api/mcp/tool-call.js';
import { resourceKindNames, resourceKinds } from '../../../src/resource-kinds.js';
import { readDocument } from '../../../src/api/graphql/server/document.js';
import { addAgents, anAgent, createKey, createTenant, graphql, rest, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';
import { addPlatform } from '../../platform.js';
import type { Platform } from '../../platform.js';
import { connectAssistant } from './assistant.js';
import type { Assistant } from './assistant.js';

const running = useApp();
let tenant: Tenant;
let ids: Platform;
let admin: Assistant;
let stranger: Assistant;
let viewer: Assistant;
let key: string;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'one', workspaces: ['acme', 'crowd', 'longs'] });
  ids = await addPlatform(app, tenant.workspaces['acme'] ?? '', 'one');
  ({ key } = await createKey(app, tenant));
  admin = await connectAssistant(app, key);
  const other = await createTenant(app, { account: 'two', workspaces: ['elsewhere'] });
  await addPlatform(app, other.workspaces['elsewhere'] ?? '', 'two');
  stranger = await connectAssistant(app, (await createKey(app, other)).key);
  const { db } = app.services;
  const principal = await db.principal.create({ data: { kind: 'user', name: 'viewer@one.example.com' } });
  const workspaceId = tenant.workspaces['acme'] ?? '';
  await db.accountMember.create({ data: { accountId: tenant.accountId, principalId: principal.id, role: 'member' } });
  await db.workspaceMember.create({ data: { workspaceId, principalId: principal.id, role: 'viewer' } });
  const owner = { accountId: tenant.accountId, principalId: principal.id };
  viewer = await connectAssistant(app, (await createKey(app, owner)).key);
  const many = Array.from({ length: 60 }, (_, index) =>
    anAgent(`agent-${String(index).padStart(2, '0')}`, { metadata: { displayName: 'x'.repeat(60) } }),
  );
  await addAgents(app, tenant.workspaces['crowd'], many);
  const envs = Array.from({ length: 100 }, (_, index) => ({ name: `VARIABLE_${index}`, value: `ä${'🚚'.repeat(40)}` }));
  await addAgents(app, tenant.workspaces['longs'], [{ ...anAgent('long'), spec: { runtime: { envs } } }]);
});

const idOf = (type: keyof Platform) => globalId(type, ids[type]);

describe('the tools', () => {
  it('are listed with their hints, and each has a description for every input', async () => {
    for (const mode of ['legacy', 'auto'] as const) {
      const { client } = await connectAssistant(running.app, key, mode);
      const { tools } = await client.listTools();
      const hints = tools.map(({ name, annotations = {} }) => {
        const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
        expect(openWorldHint).toBe(false);
        return [name, readOnlyHint, destructiveHint, idempotentHint];
      });
      expect(hints).toEqual([
        ['whoami', true, false, true],
        ['search', true, false, true],
        ['list_resources', true, false, true],
        ['get_resource', true, false, true],
        ['workspace_overview', true, false, true],
        ['query_costs', true, false, true],
        ['list_changes', true, false, true],
        ['graphql_query', true, false, true],
        ['apply_manifest', false, true, true],
        ['run_job', false, false, false],
        ['redeploy', false, true, false],
        ['delete_resource', false, true, true],
      ]);
      for (const { description, title, inputSchema } of tools) {
        expect(description).toMatch(/^[A-Z].+\.$/);
        expect(title).toMatch(/\w/);
        for (const property of Object.values(inputSchema.properties ?? {})) {
          expect(property).toHaveProperty('description', expect.stringMatching(/\.$/));
        }
      }
    }
  });

  it('describe their inputs with keywords that Gemini, OpenAI and Claude accept', async () => {
    // Those of Schema in Gemini's API, which has the fewest.
    const accepted = new Set(
      'type format title description nullable enum maxItems minItems properties required minLength maxLength pattern'
        .split(' ')
        .concat('anyOf items minimum maximum default additionalProperties'.split(' ')),
    );
    const keywordsOf = (schema: object): string[] =>
      Object.entries(schema).flatMap(([keyword, value]): string[] => {
        const below: unknown[] =
          keyword === 'properties' ? Object.values(value) : keyword === 'anyOf' ? value : [value];
        const isSchema = ['properties', 'anyOf', 'items', 'additionalProperties'].includes(keyword);
        const schemas = isSchema ? below.filter((each) => typeof each === 'object' && each !== null) : [];
        return [keyword, ...schemas.flatMap((each) => keywordsOf(Object(each)))];
      });
    const { tools } = await admin.client.listTools();
    for (const { name, inputSchema } of tools) {
      const strange = keywordsOf(inputSchema).filter((keyword) => !accepted.has(keyword));
      expect({ name, strange }).toEqual({ name, strange: [] });
    }
  });

  it('have documents that fit the schema', () => {
    for (const name of documentNames) expect(readDocument(documentText(name)).definitions.length).toBeGreaterThan(0);
    const types = resourceKindNames.map((kind) => resourceKinds[kind].typeName);
    const derived = types.flatMap((type) => [
      documentById(type),
      documentByName(type),
      deleteDocument(type),
      redeployDocument(type),
    ]);
    const documents = [...listedKinds.map(({ document }) => document), ...derived.filter((text) => text !== undefined)];
    expect(documents.length).toBeGreaterThan(30);
    for (const document of documents) expect(readDocument(document).definitions).toHaveLength(1);
  });

  it('take every kind that the schema lists, reads and deletes', () => {
    expect(listedKinds.map(({ name, parent }) => (parent ? `${parent.name}/${name}` : name))).toEqual([
      'Workspace',
      'Agent',
      'Sandbox',
      'Sandbox/SandboxPreview',
      'Job',
      'Job/JobExecution',
      'Volume',
      'Image',
      'Vpc',
      'Vpc/EgressGateway',
    ]);
    expect(namedKinds).toEqual(['Workspace', 'Volume', 'Vpc', 'Agent', 'Sandbox', 'Job']);
    const types = resourceKindNames.map((kind) => resourceKinds[kind].typeName);
    expect(types.filter((type) => documentById(type) === undefined)).toEqual(['ImageTag', 'ImageShare']);
    expect(types.filter((type) => deleteDocument(type) === undefined)).toEqual(['ImageShare']);
    const deployed = ['Agent', 'Sandbox', 'Job', 'Volume', 'Vpc', 'EgressGateway'];
    expect(types.filter((type) => redeployDocument(type) !== undefined).toSorted()).toEqual(deployed.toSorted());
    for (const type of ['Workspace', 'Account', 'Webhook']) {
      expect([deleteDocument(type), redeployDocument(type)]).toEqual([undefined, undefined]);
    }
  });
});

describe('whoami', () => {
  it('returns the caller with accounts and workspaces', async () => {
    const { result } = await admin.call('whoami');
    expect(result).toMatchObject({
      name: 'owner@one.example.com',
      scopes: ['admin'],
      accounts: [{ name: 'one', viewerRole: 'ADMIN' }],
      workspaceCount: 3,
      workspaces: [{ name: 'acme' }, { name: 'crowd' }, { name: 'longs' }],
    });
    expect((await viewer.call('whoami')).result).toMatchObject({
      workspaces: [{ name: 'acme', viewerRole: 'VIEWER' }],
    });
  });

  it('fits 4 KB with many workspaces', async () => {
    const { app } = running;
    const names = Array.from({ length: 120 }, (_, index) => `${'w'.repeat(40)}-${index}`);
    const many = await createTenant(app, { account: 'many', workspaces: names });
    const { call } = await connectAssistant(app, (await createKey(app, many)).key);
    const { result, bytes } = await call('whoami');
    expect(result).toMatchObject({ workspaceCount: 120, note: expect.stringContaining('list_resources') });
    expect(result.workspaces.length).toBeGreaterThan(20);
    expect(bytes).toBeLessThanOrEqual(4_096);
  });
});

it('a page of long items ends at its size, and does not write all of them again for each that is left out', () => {
  const text = 'x'.repeat(10_000);
  let written = 0;
  const item = { toJSON: () => ({ text, written: (written += 1) > 0 }) };
  const listed = Array.from({ length: 100 }, (_, index) => ({ item, cursor: String(index + 1) }));
  const page = fittingPage({}, 'items', listed, false, 25_000);
  expect(page).toMatchObject({ items: [item, item], nextCursor: '2' });
  expect(written).toBeLessThanOrEqual(10);
});

it('a result has at least as many items as it must have', () => {
  const item = { text: 'x'.repeat(1_000) };
  const resultOf = (count: number) => ({ items: Array.from({ length: count }, () => item) });
  expect(fittingCount([], resultOf, { bytesMax: 100, countMin: 1 })).toBe(0);
  expect(fittingCount([item, item], resultOf, { bytesMax: 100, countMin: 1 })).toBe(1);
  expect(fittingCount([item, item], resultOf, { bytesMax: 100, countMin: 0 })).toBe(0);
});

describe('another account', () => {
  it('gets the same answer for an id or a name of this account as for one that does not exist', async () => {
    const own = globalId('Agent', ids.Agent);
    const none = globalId('Agent', '00000000-0000-4000-8000-000000000000');
    const byId: [string, object][] = [
      ['get_resource', {}],
      ['delete_resource', { version: 1 }],
      ['delete_resource', { version: 9, dryRun: true }],
      ['redeploy', {}],
      ['redeploy', { dryRun: true }],
    ];
    for (const [tool, input] of byId) {
      const answer = await stranger.call(tool, { ...input, id: own });
      expect(answer).toEqual(await stranger.call(tool, { ...input, id: none }));
      expect(answer.isError).toBe(true);
    }
    const byName: [string, object][] = [
      ['list_resources', { kind: 'Agent' }],
      ['list_resources', { kind: 'JobExecution', parent: 'one-job' }],
      ['get_resource', { kind: 'Agent', name: 'one-agent' }],
      ['workspace_overview', {}],
      ['search', { text: 'one' }],
      ['run_job', { job: 'one-job' }],
    ];
    for (const [tool, input] of byName) {
      const answer = await stranger.call(tool, { ...input, workspace: 'acme' });
      expect(answer).toEqual(await stranger.call(tool, { ...input, workspace: 'none' }));
      expect(answer.isError).toBe(true);
    }
    const query = '{ node(id: "ID") { id } agent(workspace: "acme", name: "one-agent") { id } }';
    const { result } = await stranger.call('graphql_query', { query: query.replace('ID', own) });
    expect(result.data).toEqual({ node: null, agent: null });
    expect((await stranger.call('list_changes', { resource: own })).result).toEqual({ changes: [] });
  });
});

describe('inputs', () => {
  it('are refused if a map has the key __proto__', async () => {
    const map = JSON.parse('{ "__proto__": "x" }');
    const calls: [tool: string, field: string, input: Record<string, unknown>][] = [
      ['run_job', 'envOverride', { workspace: 'acme', job: 'one-job', dryRun: true }],
      ['list_resources', 'labels', { kind: 'Agent', workspace: 'acme' }],
      ['query_costs', 'labels', {}],
      ['graphql_query', 'variables', { query: '{ viewer { name } }' }],
    ];
    for (const [tool, field, input] of calls) {
      const problem = {
        path: [field, '__proto__'],
        code: 'invalid_value',
        message: `${field}.__proto__ must not be __proto__`,
      };
      const { result } = await admin.call(tool, { ...input, [field]: map });
      expect(result.error).toEqual({ code: 'invalid_input', message: 'The input is not valid.', problems: [problem] });
    }
  });

  it('are not repeated in full if they are long', async () => {
    const long = 'x'.repeat(150_000);
    const calls: [string, Record<string, unknown>][] = [
      ['list_resources', { kind: 'JobExecution', workspace: 'acme', parent: long }],
      ['apply_manifest', { manifest: 'kind: Agent\nmetadata: { name: a }', workspace: long }],
      ['apply_manifest', { manifest: `kind: Agent\nworkspace: acme\nmetadata: { name: ${long} }` }],
      ['apply_manifest', { manifest: `kind: Agent\nworkspace: acme\nmetadata: { name: a }\nspec: { ${long}: 1 }` }],
      ['apply_manifest', { manifest: `kind: ${long}` }],
      ['graphql_query', { query: `{ ${long.slice(0, 19_000)} }` }],
    ];
    for (const [tool, input] of calls) {
      const { bytes } = await admin.call(tool, input);
      expect({ tool, bytes }).toEqual({ tool, bytes: expect.toSatisfy((size: number) => size <= 4_096) });
    }
  });
});

describe('search', () => {
  it('finds resources of all kinds, and only those of the caller', async () => {
    const { result } = await admin.call('search', { text: 'one' });
    expect(result.count).toBe(9);
    expect(result.hits).toContainEqual({
      id: idOf('Sandbox'),
      kind: 'SANDBOX',
      name: 'one-sandbox',
      displayName: 'one sandbox',
      status: 'DEPLOYED',
      workspace: 'acme',
    });
    const some = await admin.call('search', { text: 'one', kinds: ['EgressGateway', 'Vpc'], workspace: 'acme' });
    expect(some.result.hits.map(({ kind }: { kind: string }) => kind)).toEqual(['EGRESS_GATEWAY', 'VPC']);
    expect((await stranger.call('search', { text: 'one' })).result).toEqual({ count: 0, hits: [] });
  });
});

describe('list_resources', () => {
  it.each([
    ['Agent', 'one-agent', {}],
    ['Sandbox', 'one-sandbox', {}],
    ['Job', 'one-job', {}],
    ['Volume', 'one-volume', {}],
    ['Vpc', 'one-vpc', {}],
    ['Image', 'one-image', {}],
    ['SandboxPreview', 'one-preview', { parent: 'one-sandbox' }],
    ['EgressGateway', 'one-gateway', { parent: 'one-vpc' }],
  ] as const)('lists the kind %s', async (kind, name, more) => {
    const { result } = await admin.call('list_resources', { kind, workspace: 'acme', ...more });
    expect(result).toMatchObject({ totalCount: 1, resources: [{ id: idOf(kind), name, version: 1 }] });
  });

  it('lists workspaces, and executions of a job', async () => {
    const workspaces = await admin.call('list_resources', { kind: 'Workspace', search: 'crow' });
    expect(workspaces.result).toMatchObject({ resources: [{ name: 'crowd' }] });
    const executions = await admin.call('list_resources', {
      kind: 'JobExecution',
      workspace: 'acme',
      parent: 'one-job',
    });
    expect(executions.result.resources).toMatchObject([{ id: idOf('JobExecution'), status: 'FAILED' }]);
  });

  it('filters by status and labels', async () => {
    const ofStatus = (statuses: string[]) =>
      admin.call('list_resources', { kind: 'Agent', workspace: 'acme', statuses, labels: {} });
    expect((await ofStatus(['DEPLOYED'])).result.resources).toHaveLength(1);
    expect((await ofStatus(['FAILED'])).result).toEqual({ totalCount: 1, filteredCount: 0, resources: [] });
    expect(await ofStatus(['WELL'])).toMatchObject({ isError: true, result: { error: { code: 'invalid_request' } } });
    const labelled = { kind: 'Agent', workspace: 'acme', labels: { team: 'care' } };
    expect((await admin.call('list_resources', labelled)).result.resources).toEqual([]);
    expect(
      (await admin.call('list_resources', { kind: 'Image', workspace: 'acme', statuses: ['X'] })).result.error,
    ).toEqual({
      code: 'invalid_parameter',
      message: 'statuses and labels are only available for Agent, Sandbox, Job, Volume, Vpc.',
    });
  });

  it('ends a page at 4 KB, and goes on from its cursor without loss', async () => {
    const names: string[] = [];
    let pages = 0;
    for (let after: string | undefined; ; pages++) {
      const { result, bytes } = await admin.call('list_resources', {
        kind: 'Agent',
        workspace: 'crowd',
        first: 50,
        after,
      });
      expect(bytes).toBeLessThanOrEqual(4_096);
      names.push(...result.resources.map(({ name }: { name: string }) => name));
      after = result.nextCursor;
      if (after === undefined) break;
    }
    expect(new Set(names).size).toBe(60);
    expect(names).toHaveLength(60);
    expect(pages).toBeGreaterThan(1);
    const large = await admin.call('list_resources', {
      kind: 'Agent',
      workspace: 'crowd',
      first: 60,
      maxBytes: 65_536,
    });
    expect(large.result.resources).toHaveLength(60);
    expect(large.result.nextCursor).toBeUndefined();
  });

  it('names what is missing', async () => {
    expect((await admin.call('list_resources', { kind: 'JobExecution', workspace: 'acme' })).result.error.message).toBe(
      'parent is required: the name of the Job that contains them.',
    );
    const unknown = { kind: 'JobExecution', workspace: 'acme', parent: 'no-such' };
    expect((await admin.call('list_resources', unknown)).result.error).toEqual({
      code: 'not_found',
      message: 'There is no job named "no-such" here.',
    });
    const inParent = { kind: 'Agent', workspace: 'acme', parent: 'one-job' };
    expect((await admin.call('list_resources', inParent)).result.error.message).toBe(
      'parent is not available for the kind Agent, which has none.',
    );
    const searched = { kind: 'JobExecution', workspace: 'acme', parent: 'one-job', search: 'x' };
    expect((await admin.call('list_resources', searched)).result.error.message).toBe(
      'search is not available for the kind JobExecution.',
    );
    const empty = { kind: 'JobExecution', workspace: 'acme', parent: 'one-job', search: '' };
    expect((await admin.call('list_resources', empty)).result.totalCount).toBe(1);
    const foreign = await stranger.call('list_resources', { kind: 'Agent', workspace: 'acme' });
    const absent = await stranger.call('list_resources', { kind: 'Agent', workspace: 'absent' });
    expect(foreign.isError).toBe(true);
    expect(JSON.stringify(foreign.result).replaceAll('acme', 'absent')).toBe(JSON.stringify(absent.result));
  });
});

describe('get_resource', () => {
  it('returns a manifest that apply_manifest leaves unchanged, for every kind of manifests', async () => {
    const types = ['Agent', 'Sandbox', 'SandboxPreview', 'Job', 'Volume', 'Vpc', 'EgressGateway', 'EgressIp'] as const;
    expect([...types, 'Workspace'].toSorted()).toEqual(applyKinds.map(({ name }) => name).toSorted());
    for (const type of types) {
      const { result } = await admin.call('get_resource', { id: idOf(type) });
      expect(result).toMatchObject({ id: idOf(type), kind: type, workspace: 'acme', version: 1 });
      const applied = await admin.call('apply_manifest', { manifest: result.manifest });
      expect(applied.result.counts).toEqual({ unchanged: 1 });
    }
    const workspace = await admin.call('get_resource', { kind: 'Workspace', name: 'acme' });
    expect(workspace.result.manifest).toBe('kind: Workspace\nmetadata:\n  name: acme\n');
  });

  it('returns a resource by its name', async () => {
    for (const kind of ['Agent', 'Sandbox', 'Job', 'Volume', 'Vpc'] as const) {
      const name = `one-${kind.toLowerCase()}`;
      const { result } = await admin.call('get_resource', { kind, workspace: 'acme', name });
      expect(result.id).toBe(idOf(kind));
    }
  });

  it('returns the details of kinds that manifests cannot hold', async () => {
    const image = await admin.call('get_resource', { id: idOf('Image') });
    expect(image.result.details).toContain('one-v1.0');
    const execution = await admin.call('get_resource', { id: idOf('JobExecution') });
    expect(execution.result).toMatchObject({ status: 'FAILED', details: expect.stringContaining('exit code 1') });
    expect(JSON.stringify(execution.result)).not.toContain('do not tell');
    // Everything is selected that the schema has, and the tasks once.
    const { metadata, stats, tasks, spec } = parse(String(execution.result.details));
    expect(metadata).toMatchObject({ jobName: 'one-job', updatedAt: expect.any(String) });
    expect(stats).toMatchObject({ total: tasks.length });
    expect(tasks).toMatchObject([{ metadata: { name: expect.any(String) }, status: expect.any(String) }]);
    expect(spec).not.toHaveProperty('tasks');
  });

  it('masks secret variables', async () => {
    const { result } = await admin.call('get_resource', { id: idOf('Sandbox') });
    expect(result.manifest).toContain('TOKEN');
    expect(result.manifest).not.toContain('secret of one');
  });

  it('returns a long manifest in parts of 4 KB', async () => {
    const which = { kind: 'Agent', workspace: 'longs', name: 'long' };
    const whole = (await admin.call('get_resource', { ...which, maxBytes: 65_536 })).result;
    expect(whole.nextCursor).toBeUndefined();
    let manifest = '';
    for (let after: string | undefined; ;) {
      const { result, bytes } = await admin.call('get_resource', { ...which, after });
      expect(bytes).toBeLessThanOrEqual(4_096);
      // Without half a surrogate pair.
      expect(result.manifest).not.toMatch(/\p{Cs}/u);
      manifest += result.manifest;
      after = result.nextCursor;
      if (after === undefined) break;
    }
    expect(manifest).toBe(whole.manifest);
    const changed = await admin.call('get_resource', { ...which, after: '7.100' });
    expect(changed.result.error.code).toBe('conflict');
    for (const after of ['1.x', '1.-4', '1.99999999']) {
      expect((await admin.call('get_resource', { ...which, after })).result.error.code).toBe('cursor_invalid');
    }
  });

  it('cuts no character of a long manifest in two', async () => {
    const { app } = running;
    const value = '\u{1F600}'.repeat(1_000);
    // Of eight shifts by a byte, one would cut in the middle of a character.
    for (const shift of [0, 1, 2, 3, 4, 5, 6, 7]) {
      const envs = [{ name: 'FACES', value: `${'x'.repeat(shift)}${value}` }];
      await addAgents(app, tenant.workspaces['longs'], [{ ...anAgent(`faces-${shift}`), spec: { runtime: { envs } } }]);
      const which = { kind: 'Agent', workspace: 'longs', name: `faces-${shift}`, maxBytes: 1_024 };
      for (let after: string | undefined; ;) {
        const { result } = await admin.call('get_resource', { ...which, after });
        expect(result.manifest.isWellFormed()).toBe(true);
        after = result.nextCursor;
        if (after === undefined) break;
      }
    }
  });

  it('does not tell whether a resource of another account exists', async () => {
    const foreign = await stranger.call('get_resource', { id: idOf('Agent') });
    const absent = await stranger.call('get_resource', {
      id: globalId('Agent', '0198a5f0-3c1e-7d52-9b1f-6f1f6d9c2a11'),
    });
    expect(foreign).toEqual(absent);
    expect(foreign).toMatchObject({ isError: true, result: { error: { code: 'not_found' } } });
  });

  it('names a wrong id', async () => {
    for (const id of ['no id', globalId('Account', tenant.accountId), globalId('Agent', "x' OR 1=1")]) {
      expect((await admin.call('get_resource', { id })).result.error.code).toBe('invalid_parameter');
    }
    expect((await admin.call('get_resource', { workspace: 'acme' })).result.error.message).toBe(
      'Name the resource: set id, or kind, workspace and name.',
    );
  });
});

describe('workspace_overview', () => {
  it('returns resources by status, failures and cost', async () => {
    const { result, bytes } = await admin.call('workspace_overview', { workspace: 'acme' });
    expect(result.kinds).toContainEqual({ kind: 'AGENT', total: 1, statuses: { DEPLOYED: 1 } });
    expect(result).toMatchObject({ name: 'acme', failures: { count: 1 }, cost: { toDate: expect.any(String) } });
    expect(bytes).toBeLessThanOrEqual(4_096);
    expect(await stranger.call('workspace_overview', { workspace: 'acme' })).toMatchObject({
      isError: true,
      result: { error: { code: 'not_found' } },
    });
  });

  it('omits what the scopes do not allow', async () => {
    const narrow = await createKey(running.app, { ...tenant, scope: 'workspaces:get agents:list' });
    const { call } = await connectAssistant(running.app, narrow.key);
    const { isError, result } = await call('workspace_overview', { workspace: 'acme' });
    expect(isError).toBe(false);
    expect(result.cost).toBeUndefined();
    expect(result.omitted.length).toBeGreaterThan(0);
  });
});

describe('query_costs', () => {
  const events = ['acme', 'crowd'].map((workspace, index) => ({
    source: 'test',
    id: workspace,
    account: 'one',
    workspace,
    resourceType: 'sandbox',
    resourceName: 'box',
    billingDimension: 'sandbox_compute_runtime_gbs',
    time: '2026-11-10T12:00:00Z',
    usage: '10',
    cost: index === 0 ? '1.25' : '2.5',
  }));

  beforeAll(async () => {
    const scope = 'usage:write admin';
    const meter = await createKey(running.app, { ...tenant, scope });
    await rest(running.app, '/usage/events', { method: 'POST', key: meter.key, json: events });
  });

  it.each(['-271821-04-20T00:00:00Z', '0000-01-01T00:00:00Z', '2026-11-01', 'tomorrow'])(
    'rejects the time %s',
    async (endTime) => {
      for (const more of [{}, { compare: true, startTime: '2026-11-01T00:00:00Z' }]) {
        const { result } = await admin.call('query_costs', { endTime, ...more });
        expect(result.error.code).toBe('invalid_parameter');
      }
    },
  );

  it('returns the cost of the last 30 days by groups, most expensive first', async () => {
    const { result } = await admin.call('query_costs', { groupBy: ['WORKSPACE'] });
    expect(result).toMatchObject({
      account: 'one',
      totalCost: '3.75',
      totalCount: 2,
      groups: [
        { workspaceName: 'crowd', cost: '2.5' },
        { workspaceName: 'acme', cost: '1.25' },
      ],
    });
    expect(result.groups[0].timeseries).toBeUndefined();
    const first = await admin.call('query_costs', { groupBy: ['WORKSPACE'], first: 1 });
    expect(first.result.groups).toHaveLength(1);
    const second = await admin.call('query_costs', {
      groupBy: ['WORKSPACE'],
      first: 1,
      after: first.result.nextCursor,
    });
    expect(second.result.groups).toMatchObject([{ workspaceName: 'acme' }]);
    expect(second.result.nextCursor).toBeUndefined();
  });

  it.each([
    ['by groups', { groupBy: ['WORKSPACE'] }],
    ['compared', { groupBy: ['WORKSPACE'], compare: true }],
    ['by status', { statuses: ['DEPLOYED'], resourceType: 'agent' }],
  ])('has the same default period on every page, %s', async (_name, input) => {
    const { clock } = running.app;
    const before = clock.now;
    try {
      clock.now = new Date('2026-11-20T12:00:01.234Z');
      const one = await admin.call('query_costs', { ...input, first: 1 });
      expect(one.result).toMatchObject({ startTime: expect.stringMatching(/^2026-10-21T13:00:00/) });
      expect(one.result).toMatchObject({ endTime: expect.stringMatching(/^2026-11-20T13:00:00/) });
      clock.now = new Date('2026-11-20T13:00:02.345Z');
      const two = await admin.call('query_costs', { ...input, first: 1, after: one.result.nextCursor });
      const { startTime, endTime, totalCost } = one.result;
      expect(two.result).toMatchObject({ startTime, endTime, totalCost, groups: [expect.anything()] });
      expect(two.result.groups).not.toEqual(one.result.groups);
    } finally {
      clock.now = before;
    }
  });

  it('starts at a full hour by default', async () => {
    const { result } = await admin.call('query_costs', { endTime: '2026-11-20T11:30:00.500Z' });
    expect(result.startTime).toMatch(/^2026-10-21T11:00:00/);
  });

  it.each(['1', 'x/y', '2026-11-01T00:00:00Z/2026-11-02T00:00:00Z/', 'x/y/1'])(
    'rejects the cursor %s',
    async (after) => {
      const { isError } = await admin.call('query_costs', { after });
      expect(isError).toBe(true);
    },
  );

  it('returns the cost of each day, of one workspace', async () => {
    const window = { startTime: '2026-11-09T00:00:00Z', endTime: '2026-11-12T00:00:00Z' };
    const { result } = await admin.call('query_costs', { ...window, workspace: 'acme', resolution: 'DAILY' });
    expect(result.groups).toMatchObject([{ resourceType: 'sandbox', cost: '1.25' }]);
    expect(result.groups[0].timeseries).toHaveLength(3);
  });

  it('returns nothing of another account, and nothing without the scope', async () => {
    expect((await stranger.call('query_costs', { groupBy: ['WORKSPACE'] })).result).toMatchObject({
      account: 'two',
      totalCost: '0',
      groups: [],
    });
    expect((await stranger.call('query_costs', { account: 'one' })).result.error.message).toBe(
      'account must be one of: two.',
    );
    const narrow = await createKey(running.app, { ...tenant, scope: 'agents:list' });
    const { call } = await connectAssistant(running.app, narrow.key);
    expect(await call('query_costs')).toMatchObject({ isError: true, result: { error: { code: 'forbidden' } } });
  });

  it('returns which team cost more than in the period before, in one call', async () => {
    const labels = (team: string) => ({ labels: [{ key: 'team', value: team }] });
    const meter = await createKey(running.app, { ...tenant, scope: 'usage:write admin' });
    for (const team of ['search', 'ads']) {
      const query = `mutation ($input: CreateSandboxInput!) { createSandbox(input: $input) { __typename } }`;
      const input = { workspace: 'longs', metadata: { name: `of-${team}`, ...labels(team) } };
      await graphql(running.app, meter.key, query, { input });
    }
    const costs = [
      ['of-search', '2026-09-10T00:00:00Z', '1.5'],
      ['of-search', '2026-09-20T00:00:00Z', '1.250000001'],
      ['of-ads', '2026-09-12T00:00:00Z', '5'],
      ['of-ads', '2026-09-22T00:00:00Z', '7.5'],
      ['nobody', '2026-09-22T00:00:00Z', '1'],
    ] as const;
    const json = costs.map(([resourceName, time, cost], index) => ({
      ...events[0],
      id: `team ${index}`,
      workspace: 'longs',
      resourceName,
      time,
      cost,
    }));
    await rest(running.app, '/usage/events', { method: 'POST', key: meter.key, json });
    const window = { startTime: '2026-09-16T00:00:00Z', endTime: '2026-09-26T00:00:00Z' };
    const { result } = await admin.call('query_costs', { ...window, groupByLabels: ['team'], compare: true });
    expect(result).toMatchObject({
      totalCost: '9.750000001',
      totalCostBefore: '6.5',
      startTimeBefore: '2026-09-06T00:00:00.000Z',
    });
    expect(result.groups).toEqual([
      { labels: { team: 'ads' }, cost: '7.5', costBefore: '5', change: '2.5' },
      { cost: '1', costBefore: '0', change: '1' },
      { labels: { team: 'search' }, cost: '1.250000001', costBefore: '1.5', change: '-0.249999999' },
    ]);
    const page = await admin.call('query_costs', {
      ...window,
      groupByLabels: ['team'],
      compare: true,
      first: 1,
      after: `${window.startTime}/${window.endTime}/1`,
    });
    expect(page.result.groups).toEqual([result.groups[1]]);
    const ofAds = await admin.call('query_costs', { ...window, labels: { team: 'ads' }, groupBy: ['RESOURCE_NAME'] });
    expect(ofAds.result).toMatchObject({ totalCost: '7.5', groups: [{ resourceName: 'of-ads', cost: '7.5' }] });
  });

  it('returns what failed resources cost, in one call', async () => {
    const window = { startTime: '2026-08-01T00:00:00Z', endTime: '2026-09-01T00:00:00Z', resourceType: 'agent' };
    const meter = await createKey(running.app, { ...tenant, scope: 'usage:write admin' });
    const { db } = running.app.services;
    const agents = await db.agent.findMany({ where: { workspaceId: tenant.workspaces['crowd'] ?? '' }, take: 3 });
    const costs = ['1.5', '2.000000001', '4'];
    const json = agents.map(({ id, name }, index) => ({
      ...events[0],
      id: `failed ${index}`,
      workspace: 'crowd',
      resourceType: 'agent',
      billingDimension: 'agent_compute_runtime_gbs',
      resourceName: name,
      resourceUuid: id,
      time: '2026-08-10T00:00:00Z',
      cost: costs[index],
    }));
    await rest(running.app, '/usage/events', { method: 'POST', key: meter.key, json });
    const [one, two, three] = agents;
    for (const agent of [one, two])
      await db.agent.update({ where: { id: agent?.id ?? '' }, data: { status: 'FAILED' } });
    const { result } = await admin.call('query_costs', { ...window, statuses: ['FAILED'], workspace: 'crowd' });
    expect(result).toMatchObject({ account: 'one', totalCost: '3.500000001' });
    expect(result.groups.slice(0, 2)).toEqual([
      { workspaceName: 'crowd', resourceName: two?.name, resourceUuid: two?.id, status: 'FAILED', cost: '2.000000001' },
      { workspaceName: 'crowd', resourceName: one?.name, resourceUuid: one?.id, status: 'FAILED', cost: '1.5' },
    ]);
    const everywhere = await admin.call('query_costs', { ...window, statuses: ['FAILED'], first: 1 });
    expect(everywhere.result).toMatchObject({
      totalCost: '3.500000001',
      groups: [{ resourceUuid: two?.id }],
      nextCursor: `${window.startTime}/${window.endTime}/1`,
    });
    expect(JSON.stringify(result)).not.toContain(three?.id);
    for (const wrong of [
      { resourceType: 'model' },
      { compare: true },
      { statuses: ['BROKEN'] },
      { workspace: 'south' },
    ]) {
      const { isError } = await admin.call('query_costs', { ...window, statuses: ['FAILED'], ...wrong });
      expect({ wrong, isError }).toEqual({ wrong, isError: true });
    }
    for (const agent of [one, two])
      await db.agent.update({ where: { id: agent?.id ?? '' }, data: { status: agent?.status ?? null } });
  });

  it('has a cursor of any length, which the next call takes', async () => {
    const long = '\u{1F600}'.repeat(200);
    const json = ['a', 'b'].map((id) => ({
      ...events[0],
      id: `long ${id}`,
      resourceName: long,
      resourceUuid: `${id}${long.slice(2)}`,
    }));
    const meter = await createKey(running.app, { ...tenant, scope: 'usage:write admin' });
    const time = '2026-07-10T00:00:00Z';
    await rest(running.app, '/usage/events', {
      method: 'POST',
      key: meter.key,
      json: json.map((event) => ({ ...event, time })),
    });
    const asked = {
      startTime: '2026-07-01T00:00:00Z',
      endTime: '2026-08-01T00:00:00Z',
      groupBy: ['RESOURCE_NAME', 'RESOURCE_UUID'],
      first: 1,
      maxBytes: 65_536,
    };
    const one = await admin.call('query_costs', asked);
    expect(one.result.nextCursor.length).toBeGreaterThan(2_000);
    const two = await admin.call('query_costs', { ...asked, after: one.result.nextCursor });
    expect(two.result).toMatchObject({ totalCount: 2, groups: [{ resourceName: long }] });
    expect(two.result.groups).not.toEqual(one.result.groups);
    const labelled = await admin.call('query_costs', { ...asked, labels: { team: '\u{1F600}'.repeat(255) } });
    expect(labelled.result).toMatchObject({ totalCount: 0, groups: [] });
  });

  it('refuses a resolution of a comparison, which would have no effect', async () => {
    const { result } = await admin.call('query_costs', { compare: true, resolution: 'DAILY' });
    expect(result.error.message).toBe('compare cannot be combined with resolution.');
  });

  it('names the size of a group that is too long', async () => {
    const meter = await createKey(running.app, { ...tenant, scope: 'usage:write admin' });
    const hours = Array.from({ length: 100 }, (_, hour) => ({
      ...events[0],
      id: `hour ${hour}`,
      time: new Date(Date.UTC(2026, 9, 1, hour)).toISOString(),
    }));
    await rest(running.app, '/usage/events', { method: 'POST', key: meter.key, json: hours });
    const input = { startTime: '2026-10-01T00:00:00Z', endTime: '2026-10-06T00:00:00Z', resolution: 'HOURLY' };
    const { isError, result } = await admin.call('query_costs', input);
    expect(isError).toBe(true);
    expect(result.error).toMatchObject({ code: 'payload_too_large', limit: 4_096 });
    const all = await admin.call('query_costs', { ...input, maxBytes: 65_536 });
    expect(all.bytes).toBe(result.error.actual);
    expect(all.result.groups).toHaveLength(1);
  });

  it('names a bad time', async () => {
    for (const input of [{ endTime: 'soon' }, { startTime: 'soon' }]) {
      const { isError, result } = await admin.call('query_costs', input);
      expect(isError).toBe(true);
      expect(result.error.code).toMatch(/^invalid_/);
    }
  });
});

describe('a missing scope', () => {
  it('is named with all that a tool needs', async () => {
    const narrow = await createKey(running.app, { ...tenant, scope: 'agents:get volumes:list' });
    const { call } = await connectAssistant(running.app, narrow.key);
    const agent = 'kind: Agent\nworkspace: acme\nmetadata: { name: a }';
    const volume = `${agent.replace('Agent', 'Volume')}\nspec: { region: eu-one, sizeMb: 1 }`;
    const calls: [string, Record<string, unknown>, string][] = [
      ['list_resources', { kind: 'Job', workspace: 'acme' }, 'jobs:list'],
      ['get_resource', { kind: 'Sandbox', workspace: 'acme', name: 'one-sandbox' }, 'sandboxes:get'],
      ['run_job', { workspace: 'acme', job: 'one-job' }, 'jobs:update'],
      ['redeploy', { id: idOf('Agent') }, 'agents:update'],
      ['delete_resource', { id: idOf('Agent'), version: 1 }, 'agents:delete'],
      ['query_costs', {}, 'metrics:read'],
      ['workspace_overview', { workspace: 'acme' }, 'workspaces:get metrics:read'],
      ['graphql_query', { query: '{ jobs(workspace: "acme") { totalCount } }' }, 'jobs:list'],
    ];
    for (const [tool, input, scope] of calls) {
      const { result } = await call(tool, input);
      expect({ tool, error: result.error }).toEqual({
        tool,
        error: { code: 'forbidden', scope },
      });
    }
    const writing = await createKey(running.app, { ...tenant, scope: 'agents:update' });
    const other = await connectAssistant(running.app, writing.key);
    const applied = await other.call('apply_manifest', { manifest: `${agent}\n---\n${volume}` });
    const asked = applied.result.error.scope.split(' ');
    expect(asked).toEqual(expect.arrayContaining(['agents:get', 'agents:create', 'volumes:get', 'volumes:create']));
    expect(asked).not.toContain('agents:update');
    const reading = await call('apply_manifest', { manifest: agent });
    expect(reading.result.error.scope.split(' ')).toContain('agents:create');
  });

  it('leaves what the scopes allow', async () => {
    const narrow = await createKey(running.app, { ...tenant, scope: 'agents:list' });
    const { call } = await connectAssistant(running.app, narrow.key);
    const query = '{ agents(workspace: "acme") { totalCount } jobs(workspace: "acme") { totalCount } }';
    expect((await call('graphql_query', { query })).result.data).toEqual({ agents: { totalCount: 1 }, jobs: null });
  });
});

describe('list_changes', () => {
  it('lists changes, newest first, in pages without loss', async () => {
    const of = { workspaces: ['acme'], kinds: ['VOLUME', 'SANDBOX', 'JOB', 'VPC'], actions: ['CREATED'] };
    const all = await admin.call('list_changes', { ...of, first: 100, maxBytes: 65_536 });
    const names = (answer: { result: { changes: { name: string }[] } }) =>
      answer.result.changes.map(({ name }) => name);
    expect(names(all).toSorted()).toEqual(['one-job', 'one-sandbox', 'one-volume', 'one-vpc']);
    const first = await admin.call('list_changes', { ...of, first: 3 });
    const rest = await admin.call('list_changes', { ...of, first: 3, after: first.result.nextCursor });
    expect([...names(first), ...names(rest)]).toEqual(names(all));
    expect(rest.result.nextCursor).toBeUndefined();
  });

  it('fits 4 KB, and shows nothing of another account', async () => {
    const made = Array.from({ length: 20 }, (_, index) => `kind: Agent\nmetadata: { name: made-${index} }\n`);
    await admin.call('apply_manifest', { manifest: made.join('---\n'), workspace: 'longs', dryRun: false });
    const { result, bytes } = await admin.call('list_changes', { first: 100 });
    expect(bytes).toBeLessThanOrEqual(4_096);
    expect(result.nextCursor).toEqual(expect.any(String));
    const { result: theirs } = await stranger.call('list_changes', { first: 100, maxBytes: 65_536 });
    expect(JSON.stringify(theirs)).not.toContain('one-');
    expect(theirs.changes.length).toBeGreaterThan(0);
  });

  it('filters by resource, name, actor and time', async () => {
    const { result } = await admin.call('list_changes', { resource: idOf('Job'), names: ['one-job'] });
    expect(result.changes).toMatchObject([{ kind: 'JOB', name: 'one-job' }]);
    const none = await admin.call('list_changes', {
      actors: ['nobody'],
      from: '2026-11-01T00:00:00Z',
      to: '2026-11-02T00:00:00Z',
    });
    expect(none.result).toEqual({ changes: [] });
    const bad = await admin.call('list_changes', { from: 'yesterday' });
    expect(bad).toMatchObject({ isError: true });
  });
});

describe('apply_manifest', () => {
  const manifest = (name: string, memory = 2048) =>
    `kind: Agent\nworkspace: acme\nmetadata:\n  name: ${name}\nspec:\n  runtime:\n    memory: ${memory}\n`;

  it('is a dry run by default', async () => {
    const { result } = await admin.call('apply_manifest', { manifest: manifest('planned') });
    expect(result).toEqual({
      dryRun: true,
      counts: { created: 1 },
      results: [{ action: 'created', resource: 'Agent acme/planned' }],
    });
    const read = await admin.call('get_resource', { kind: 'Agent', workspace: 'acme', name: 'planned' });
    expect(read.result.error.code).toBe('not_found');
  });

  it('creates, updates and leaves alone, and the change log has the caller', async () => {
    const apply = (text: string) => admin.call('apply_manifest', { manifest: text, dryRun: false });
    expect((await apply(manifest('applied'))).result.counts).toEqual({ created: 1 });
    expect((await apply(manifest('applied'))).result.counts).toEqual({ unchanged: 1 });
    const updated = (await apply(manifest('applied', 4096))).result;
    expect(updated.counts).toEqual({ updated: 1 });
    expect(updated.results[0].changes.join()).toContain('4096');
    const changes = await admin.call('list_changes', { names: ['applied'], actions: ['CREATED', 'UPDATED'] });
    expect(changes.result.changes.map(({ actor }: { actor: string }) => actor)).toEqual([
      'owner@one.example.com',
      'owner@one.example.com',
    ]);
  });

  it('creates a workspace and a resource inside it in one call', async () => {
    const text = `kind: Workspace\nmetadata: { name: made }\n---\n${manifest('inside').replace('acme', 'made')}`;
    const { result } = await admin.call('apply_manifest', { manifest: text, dryRun: false });
    expect(result.counts).toEqual({ created: 2 });
  });

  it('reports documents that are not valid, by line, and changes nothing', async () => {
    const bad = `${manifest('half')}---\nkind: Agent\nworkspace: acme\nmetadata: { name: x }\nspec: { nope: 1 }\n`;
    const { isError, result } = await admin.call('apply_manifest', { manifest: bad, dryRun: false });
    expect(isError).toBe(true);
    expect(result.error).toMatchObject({
      code: 'invalid_input',
      problems: [{ document: 2, line: 12, path: 'spec.nope' }],
    });
    const read = await admin.call('get_resource', { kind: 'Agent', workspace: 'acme', name: 'half' });
    expect(read.result.error.code).toBe('not_found');
    for (const text of ['', '# nothing', 'kind: [', 'a: &a [*a, *a]', '- - -', 'kind: Nothing']) {
      expect((await admin.call('apply_manifest', { manifest: text })).isError).toBe(true);
    }
  });

  it('fits 4 KB with many documents, with refused ones first', async () => {
    const listed = { kind: 'Agent', workspace: 'acme' };
    const many = Array.from({ length: 99 }, (_, index) => manifest(`many-${index}`));
    const text = [...many, manifest('refused').replace('spec:', 'spec:\n  region: nowhere')].join('---\n');
    const { result, bytes } = await admin.call('apply_manifest', { manifest: text });
    expect(bytes).toBeLessThanOrEqual(4_096);
    expect(result.counts).toEqual({ created: 99, refused: 1 });
    expect(result.results[0]).toMatchObject({ action: 'refused', resource: 'Agent acme/refused' });
    expect(result.omitted).toBe(100 - result.results.length);
    const tooMany = [...many, ...many.map((each) => each.replace('many', 'more'))].join('---\n');
    expect((await admin.call('apply_manifest', { manifest: tooMany })).result.error.problems).toMatchObject([
      { line: 808, message: 'The manifest has too many documents. At most 100 are allowed.' },
    ]);
    const list = JSON.stringify(
      Array.from({ length: 101 }, (_, index) => ({ ...listed, metadata: { name: `l${index}` } })),
    );
    expect((await admin.call('apply_manifest', { manifest: list })).result.error.message).toBe(
      'manifest must have at most 100 documents.',
    );
  });

  it('refuses a viewer, and a workspace of another account', async () => {
    const { result } = await stranger.call('apply_manifest', { manifest: manifest('theirs'), dryRun: false });
    expect(result.counts).toEqual({ refused: 1 });
    const refused = await viewer.call('apply_manifest', { manifest: manifest('theirs'), dryRun: false });
    expect(refused.result.error).toEqual({
      code: 'forbidden',
      message: 'Your role is viewer, which cannot make changes.',
    });
    const read = await admin.call('get_resource', { kind: 'Agent', workspace: 'acme', name: 'theirs' });
    expect(read.result.error.code).toBe('not_found');
  });
});

describe('a manifest of an attacker', () => {
  const attacks: Record<string, string> = {
    'distinct keys': Array.from({ length: 28_000 }, (_, key) => `${key}:\n`).join(''),
    'unknown fields': `kind: Agent\nworkspace: acme\nmetadata: { name: a }\nspec:\n${lines(18_000, (key) => `  f${key}: 1`)}`,
    labels: `kind: Agent\nworkspace: acme\nmetadata:\n  name: a\n  labels:\n${lines(12_000, (key) => `    l${key}: x`)}`,
    'the same key': 'a:\n'.repeat(66_000),
    'nested lists': '['.repeat(200_000),
    documents: 'kind: Agent\n---\n'.repeat(12_000),
    'a long kind': `kind: ${'x'.repeat(150_000)}`,
    'long names': `- kind: Agent\n  metadata: { name: ${'n'.repeat(90_000)} }\n`.repeat(2),
    'a prototype':
      'kind: Agent\nworkspace: acme\nmetadata: { name: a, __proto__: { x: 1 } }\nconstructor: 1\n__proto__: 2',
  };

  function lines(count: number, lineOf: (index: number) => string): string {
    return Array.from({ length: count }, (_, index) => lineOf(index))
      .join('\n')
      .slice(0, 199_000);
  }

  it.each(Object.entries(attacks))('%s: is refused in few words, and not read for a viewer', async (_name, text) => {
    const { isError, result, bytes } = await admin.call('apply_manifest', { manifest: text, workspace: 'acme' });
    expect(isError).toBe(true);
    expect(result.error.problems.length).toBeLessThanOrEqual(10);
    expect(bytes).toBeLessThanOrEqual(4_096);
    expect(JSON.stringify(result)).not.toMatch(/call stack|unexpectedly/);
    const refused = await viewer.call('apply_manifest', { manifest: text, workspace: 'acme' });
    expect(refused.result.error.code).toBe('forbidden');
  });
});

describe('run_job', () => {
  it('starts an execution, once for one idempotency key', async () => {
    const input = { workspace: 'acme', job: 'one-job', idempotencyKey: 'run 1', envOverride: { MODE: 'fast' } };
    const first = await admin.call('run_job', input);
    expect(first.result).toMatchObject({ dryRun: false, execution: { jobName: 'one-job', version: 1 } });
    const again = await admin.call('run_job', input);
    expect(again.result.execution.id).toBe(first.result.execution.id);
    const other = await admin.call('run_job', { ...input, idempotencyKey: 'run 2' });
    expect(other.result.execution.id).not.toBe(first.result.execution.id);
    const reused = await admin.call('run_job', { ...input, timeout: 60 });
    expect(reused).toMatchObject({ isError: true, result: { error: { code: 'idempotency_key_reused' } } });
  });

  it('starts one execution for calls at the same time', async () => {
    const input = { workspace: 'acme', job: 'one-job', idempotencyKey: 'at the same time' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => admin.call('run_job', input)));
    const started = answers.filter(({ isError }) => !isError).map(({ result }) => result.execution.id);
    expect(new Set(started).size).toBe(1);
    const refused = answers.filter(({ isError }) => isError).map(({ result }) => result.error.code);
    expect(refused.every((code) => code === 'idempotency_key_in_use')).toBe(true);
  });

  it('only checks the input in a dry run', async () => {
    const count = async () => {
      const list = { kind: 'JobExecution', workspace: 'acme', parent: 'one-job' };
      return (await admin.call('list_resources', list)).result.totalCount;
    };
    const before = await count();
    const { result } = await admin.call('run_job', { workspace: 'acme', job: 'one-job', dryRun: true });
    expect(result.dryRun).toBe(true);
    expect(await count()).toBe(before);
  });

  it('names the rule that the input breaks', async () => {
    const { isError, result } = await admin.call('run_job', { workspace: 'acme', job: 'one-job', memoryOverride: -1 });
    expect(isError).toBe(true);
    expect(result.error).toMatchObject({ code: 'invalid_input', problems: [{ path: ['memoryOverride'] }] });
    const absent = await admin.call('run_job', { workspace: 'acme', job: 'no-such' });
    expect(absent.result.error.code).toBe('not_found');
  });

  it('refuses a viewer, another account, and a credential without the scope', async () => {
    const narrow = await createKey(running.app, { ...tenant, scope: 'jobs:list' });
    const scoped = await connectAssistant(running.app, narrow.key);
    for (const { call } of [viewer, stranger, scoped]) {
      const { isError, result } = await call('run_job', { workspace: 'acme', job: 'one-job' });
      expect(isError).toBe(true);
      expect(['forbidden', 'not_found']).toContain(result.error.code);
    }
  });
});

describe('redeploy', () => {
  const types = ['Agent', 'Sandbox', 'Job', 'Volume', 'Vpc', 'EgressGateway'] as const;
  const changesOf = () =>
    running.app.services.db.change.findMany({
      where: { accountId: tenant.accountId, verb: 'status' },
      orderBy: { sequence: 'asc' },
    });

  beforeAll(async () => {
    for (const table of ['agent', 'sandbox', 'job', 'volume', 'vpc', 'egress_gateway']) {
      await running.app.services.db.$executeRawUnsafe(`UPDATE "${table}" SET "status" = 'FAILED'`);
    }
  });

  it('deploys a resource of every kind that has a deployment again, once for one idempotency key', async () => {
    const before = await changesOf();
    for (const type of types) {
      const id = idOf(type);
      const dry = await admin.call('redeploy', { id, dryRun: true });
      expect(dry.result).toEqual({
        dryRun: true,
        redeployed: { kind: type, id, version: 1, status: 'DEPLOYED' },
      });
      const input = { id, version: 1, idempotencyKey: `again-${type}` };
      const { result } = await admin.call('redeploy', input);
      expect(result).toMatchObject({ dryRun: false, redeployed: { kind: type, id, version: 1, status: 'DEPLOYED' } });
      expect((await admin.call('redeploy', input)).result).toEqual(result);
    }
    const changes = (await changesOf()).slice(before.length);
    expect(changes.map(({ kind }) => kind)).toEqual(['AGENT', 'SANDBOX', 'JOB', 'VOLUME', 'VPC', 'EGRESS_GATEWAY']);
  });

  it('refuses another version, a viewer, another account, and what has no deployment', async () => {
    const before = await changesOf();
    const id = idOf('Agent');
    expect((await admin.call('redeploy', { id, version: 7 })).result.error).toMatchObject({ code: 'version_mismatch' });
    for (const { call } of [viewer, stranger]) expect((await call('redeploy', { id })).isError).toBe(true);
    for (const other of [idOf('Image'), globalId('Workspace', tenant.workspaces['acme'] ?? ''), 'x']) {
      expect((await admin.call('redeploy', { id: other })).result.error.code).toBe('invalid_parameter');
    }
    expect(await changesOf()).toEqual(before);
  });
});

describe('delete_resource', () => {
  it('needs the current version', async () => {
    const id = idOf('Volume');
    const stale = await admin.call('delete_resource', { id, version: 7 });
    expect(stale).toMatchObject({ isError: true, result: { error: { code: 'version_mismatch', currentVersion: 1 } } });
    const absent = await admin.call('delete_resource', { id });
    expect(absent.isError).toBe(true);
    expect(absent.result.error).toMatchObject({
      code: 'invalid_input',
      problems: [{ path: ['version'], code: 'required', message: 'version is required' }],
    });
  });

  it('refuses a viewer and another account', async () => {
    for (const { call } of [viewer, stranger]) {
      expect((await call('delete_resource', { id: idOf('Volume'), version: 1 })).isError).toBe(true);
    }
  });

  it('deletes resources of every kind that it names, after a dry run that deletes nothing', async () => {
    const types = [
      'EgressIp',
      'EgressGateway',
      'Vpc',
      'SandboxPreview',
      'Sandbox',
      'Volume',
      'JobExecution',
      'Image',
      'Agent',
      'Job',
    ] as const;
    for (const type of types) {
      const id = idOf(type);
      const dry = await admin.call('delete_resource', { id, version: 1, dryRun: true });
      expect(dry.result).toEqual({ dryRun: true, deleted: { kind: type, id, version: expect.any(Number) } });
      expect((await admin.call('get_resource', { id })).isError).toBe(false);
      const { result } = await admin.call('delete_resource', { id, version: 1 });
      expect(result).toMatchObject({ dryRun: false, deleted: { kind: type, id } });
    }
    const { result } = await admin.call('list_changes', { actions: ['DELETED'], kinds: ['AGENT'] });
    expect(result.changes).toMatchObject([{ name: 'one-agent', actor: 'owner@one.example.com' }]);
  });

  it('refuses workspaces and what is no resource', async () => {
    const workspaceId = tenant.workspaces['acme'] ?? '';
    for (const id of [globalId('Workspace', workspaceId), globalId('Account', tenant.accountId), 'x']) {
      expect((await admin.call('delete_resource', { id, version: 1 })).result.error.code).toBe('invalid_parameter');
    }
  });
});

describe('graphql_query', () => {
  it('executes a query of the caller', async () => {
    const query = 'query Read($n: Int) { agents(workspace: "crowd", first: $n) { totalCount } }';
    const { result } = await admin.call('graphql_query', { query, variables: { n: 1 }, operationName: 'Read' });
    expect(result.data).toEqual({ agents: { totalCount: 60 } });
    expect(result.extensions.cost.complexity).toEqual(expect.any(Number));
    const theirs = await stranger.call('graphql_query', { query });
    expect(theirs.result.data).toEqual({ agents: null });
    expect(theirs.result.errors).toHaveLength(1);
  });

  it('refuses mutations, subscriptions, and queries over the limits', async () => {
    const refused = 'Only queries can be executed. Use the other tools for changes.';
    const mutation = 'mutation { deleteAgent(input: { workspace: "crowd", name: "agent-01" }) { __typename } }';
    expect((await admin.call('graphql_query', { query: mutation })).result.error.message).toBe(refused);
    const two = `query A { __typename } ${mutation.replace('mutation', 'mutation B')}`;
    expect((await admin.call('graphql_query', { query: two, operationName: 'B' })).result.error.message).toBe(refused);
    const subscription = 'subscription { changes { id } }';
    expect((await admin.call('graphql_query', { query: subscription })).isError).toBe(true);
    expect(
      (await graphql(running.app, key, '{ agents(workspace: "crowd") { totalCount } }')).body.data.agents.totalCount,
    ).toBe(60);
    const agents = (inner: string) => `agents(first: 200) { nodes { id workspace { ${inner} } } }`;
    const wide = `{ workspaces(first: 200) { nodes { ${agents(agents(agents('id')))} } } }`;
    expect((await admin.call('graphql_query', { query: wide })).result.error.code).toBe('query_too_complex');
  });

  it('reports bad documents, and results that are too long', async () => {
    for (const query of ['{', '{ nope }', 'query A { __typename } query B { __typename }']) {
      expect((await admin.call('graphql_query', { query })).result.error.code).toBe('invalid_request');
    }
    const query = '{ agents(workspace: "crowd", first: 60) { nodes { id name metadata { displayName } } } }';
    const { result } = await admin.call('graphql_query', { query });
    expect(result.error).toMatchObject({ code: 'payload_too_large', limit: 4_096 });
    const more = await admin.call('graphql_query', { query, maxBytes: 65_536 });
    expect(more.result.data.agents.nodes).toHaveLength(60);
  });
});
