// Updates, field by field, for every update mutation of the schema: a field that is not given, or given by a variable
// that is not sent, keeps its value; null removes the value or is refused with an error that names the field.
import { getNamedType, getNullableType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { GraphQLInputObjectType, GraphQLInputType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeGlobalId } from '../../../src/api/graphql/global-id.js';
import { schema } from '../../../src/api/graphql/server/schema.js';
import { prepareCases, settingsOfCases } from '../../auth/mutation-cases.js';
import { createKey, graphql, useApp } from '../../harness.js';
import type { Answer, Tenant } from '../../harness.js';
import { addPlatform } from '../../platform.js';

interface Update {
  /** The table of the changed row, and the row. */
  row: () => { table: string; id: string };
  /** The fields of the input that find the row. */
  address: () => Record<string, unknown>;
  /** Valid updates that together have every field of the input. */
  variants: Record<string, unknown>[];
}

const running = useApp(settingsOfCases);
let tenant: Tenant;
let key: string;
const ids: Record<string, string> = {};
const idOf = (name: string) => ids[name] ?? '';

const main = { workspace: 'main' };
const metadata = { displayName: 'Another', protected: true };
const fullMetadata = { ...metadata, externalId: 'external-1', labels: [{ key: 'tier', value: 'gold' }] };
const envs = [{ name: 'MODE', value: 'fast', secret: false }];
const volumes = [{ mountPath: '/scratch', name: 'scratch', readOnly: true, sizeMb: 1024, type: 'EPHEMERAL' }];
const runtime = { envs, generation: 'MK3', image: 'registry.example.com/a:1', memory: 4096 };
const inWorkspace = (name: string) => () => ({ ...main, name });
const rowOf = (table: string, name: string) => () => ({ table, id: idOf(name) });

const updates: Record<string, Update> = {
  updateAccount: {
    row: rowOf('account', 'Account'),
    address: () => ({ name: 'northwind' }),
    variants: [{ metadata: { displayName: 'Another' }, plan: 'pro' }, { requiredSignInProvider: 'default' }],
  },
  updateAgent: {
    row: rowOf('agent', 'Agent'),
    address: inWorkspace('walked-agent'),
    variants: [
      {
        metadata: fullMetadata,
        spec: {
          enabled: false,
          policies: ['standard'],
          public: false,
          region: 'eu-open',
          restartPolicy: 'ON_FAILURE',
          repository: { type: 'git', url: 'https://git.example.com/a' },
          revision: { active: 'r1', canary: 'r2', canaryPercent: 10, stickySessionTtl: 60, traffic: 50 },
          runtime: { ...runtime, maxScale: 3, minScale: 1 },
          triggers: [
            {
              id: 'calls',
              type: 'HTTP_ASYNC',
              enabled: false,
              configuration: {
                authenticationType: 'api-key',
                callbackUrl: 'https://hooks.example.com/in',
                path: '/run',
                retry: 2,
              },
            },
          ],
          volumes,
        },
      },
      { spec: { public: true, triggers: [{ type: 'HTTP_ASYNC', configuration: { timeout: 60 } }] } },
      {
        spec: {
          triggers: [
            { id: 'nightly', type: 'CRON', configuration: { schedule: '0 3 * * *', tasks: [{ MODE: 'full' }] } },
          ],
        },
      },
    ],
  },
  updateBudget: {
    row: rowOf('budget', 'Budget'),
    address: () => ({ account: 'northwind', name: 'walked' }),
    variants: [
      {
        amount: '10',
        billingDimension: 'sandbox_compute_runtime_gbs',
        days: 7,
        labels: [{ key: 'team', in: ['data'] }],
        period: 'ROLLING',
        resourceName: 'one',
        resourceType: 'sandbox',
        resourceUuid: '00000000-0000-4000-8000-000000000001',
        thresholds: [{ measure: 'ACTUAL', percent: 80 }],
        workspace: 'main',
        action: 'NOTIFY',
      },
      { labels: [{ key: 'team', isSet: true }] },
      {
        billingDimension: null,
        labels: null,
        resourceName: null,
        resourceType: null,
        resourceUuid: null,
        action: 'STOP',
      },
    ],
  },
  updateEgressGateway: {
    row: rowOf('egress_gateway', 'EgressGateway'),
    address: () => ({ ...main, vpcName: 'walked-vpc', name: 'walked-gateway' }),
    variants: [{ metadata }],
  },
  updateEgressIp: {
    row: rowOf('egress_ip', 'EgressIp'),
    address: () => ({ ...main, vpcName: 'walked-vpc', gatewayName: 'walked-gateway', name: 'walked-ip' }),
    variants: [{ metadata }],
  },
  updateExecutor: {
    row: rowOf('executor', 'Executor'),
    address: () => ({ name: 'walked-executor' }),
    variants: [{ expiresAt: '2026-12-01T00:00:00Z', addressRanges: ['203.0.113.0/24'] }, { neverExpires: true }],
  },
  updateGroupRole: {
    row: rowOf('group_role', 'GroupRole'),
    address: () => ({ provider: 'default', name: 'walked', workspace: 'main' }),
    variants: [{ role: 'VIEWER' }],
  },
  updateJob: {
    row: rowOf('job', 'Job'),
    address: inWorkspace('walked-job'),
    variants: [
      {
        metadata: fullMetadata,
        spec: {
          enabled: false,
          maxRetries: 2,
          parallelism: 3,
          region: 'eu-open',
          runtime,
          schedule: '0 3 * * *',
          timeZone: 'Europe/Berlin',
          timeout: 600,
        },
      },
    ],
  },
  updateMember: {
    row: rowOf('workspace_member', 'WorkspaceMember'),
    address: () => ({ ...main, account: 'northwind', name: 'member@northwind.example.com' }),
    variants: [{ role: 'VIEWER' }],
  },
  updateOauthClient: {
    row: rowOf('oauth_client', 'OauthClient'),
    address: () => ({ name: idOf('OauthClient') }),
    variants: [{ displayName: 'Another', scopes: ['agents:list'], redirectUris: ['https://two.example.com/'] }],
  },
  updateSandbox: {
    row: rowOf('sandbox', 'Sandbox'),
    address: inWorkspace('walked-sandbox'),
    variants: [
      {
        metadata: fullMetadata,
        spec: { enabled: false, region: 'eu-open', restartPolicy: 'ON_FAILURE', runtime, volumes },
      },
    ],
  },
  updateSandboxPreview: {
    row: rowOf('sandbox_preview', 'SandboxPreview'),
    address: () => ({ ...main, sandboxName: 'walked-sandbox', name: 'walked-preview' }),
    variants: [
      {
        metadata,
        spec: {
          customDomain: 'preview.example.com',
          expires: '2026-12-01T00:00:00Z',
          port: 8080,
          prefixUrl: 'walked',
          public: true,
          region: 'eu-open',
          requestHeaders: { 'x-request': 'a' },
          responseHeaders: { 'x-response': 'b' },
          ttl: '24h',
        },
      },
    ],
  },
  updateVolume: {
    row: rowOf('volume', 'Volume'),
    address: inWorkspace('walked-volume'),
    variants: [{ metadata: fullMetadata, spec: { sizeMb: 2048 } }],
  },
  updateVpc: {
    row: rowOf('vpc', 'Vpc'),
    address: inWorkspace('walked-vpc'),
    variants: [{ metadata: fullMetadata, spec: { cidrBlock: '10.0.0.0/16' } }],
  },
  updateServiceAccount: {
    row: rowOf('principal', 'ServiceAccount'),
    address: () => ({ name: 'walked-service' }),
    // A new name would change the address.
    variants: [{ newName: 'walked-service', displayName: 'Another' }],
  },
  updateUser: {
    row: rowOf('principal', 'User'),
    address: () => ({ name: 'walked-user@example.com' }),
    // A new name would change the address.
    variants: [{ newName: 'walked-user@example.com', displayName: 'Another' }],
  },
  updateWebhook: {
    row: rowOf('webhook', 'Webhook'),
    address: () => ({ id: encodeGlobalId('Webhook', idOf('Webhook')) }),
    variants: [
      {
        name: 'renamed',
        url: 'https://hooks.example.com/out',
        format: 'SLACK',
        paused: true,
        filter: {
          actions: ['CREATED'],
          actors: ['somebody@example.com'],
          addresses: ['192.0.2.1'],
          clients: ['api_key abc'],
          kinds: ['AGENT'],
          names: ['one'],
          resource: encodeGlobalId('Agent', '00000000-0000-4000-8000-000000000001'),
          workspaces: ['main'],
        },
      },
    ],
  },
  updateWorkspace: {
    row: rowOf('workspace', 'Workspace'),
    address: () => ({ name: 'main' }),
    variants: [{ metadata: { displayName: 'Another' } }],
  },
};

/** Fields of inputs that change nothing by themselves. */
const controls = ['id', 'ifVersion', 'validateOnly'];

/** Fields that are of one request only, or never allowed. */
const unstored = ['updateWebhook skipMissed', 'updateWebhook filter.time'];

/** Columns that follow from a field. */
const consequences: Record<string, string> = { enabled: 'status' };

/** Values that are replaced as a whole: a field that is not given is absent afterwards. */
const replaced = ['filter'];

interface Field {
  /** The names to the field; `0` for the item of a list. */
  path: string[];
  type: GraphQLInputType;
  /** Whether the field is part of a value that is replaced as a whole. */
  isWithinReplaced: boolean;
}

function inputOf(mutation: string): GraphQLInputObjectType {
  const type = schema.getType(`${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`);
  if (!isInputObjectType(type)) throw new Error(`${mutation} has no input`);
  return type;
}

/** All fields of an input, nested ones and those of items of lists included. */
function fieldsOf(input: GraphQLInputObjectType, path: string[] = [], isWithinReplaced = false): Field[] {
  return Object.values(input.getFields()).flatMap(({ name, type }) => {
    const isList = isListType(getNullableType(type));
    const here = [...path, name];
    const named = getNamedType(type);
    const isReplaced = isWithinReplaced || isList || replaced.includes(name);
    const below = isInputObjectType(named) ? fieldsOf(named, isList ? [...here, '0'] : here, isReplaced) : [];
    return [{ path: here, type, isWithinReplaced }, ...below];
  });
}

function valueAt(value: unknown, [name, ...rest]: string[]): unknown {
  if (name === undefined) return value;
  return typeof value === 'object' && value !== null
    ? valueAt(new Map(Object.entries(value)).get(name), rest)
    : undefined;
}

/** An input literal. @param place the text of the value at a path; undefined leaves the field out. */
function literal(value: unknown, type: GraphQLInputType, place: { path: string[]; text: string | undefined }): string {
  const { path, text } = place;
  const inner = getNullableType(type);
  const [name, ...rest] = path;
  if (value === null) return 'null';
  if (isListType(inner)) {
    const items = Array.isArray(value) ? value : [value];
    const texts = items.map((item: unknown, index) =>
      literal(item, inner.ofType, name === String(index) ? { path: rest, text } : { path: ['none'], text }),
    );
    return `[${texts.join(', ')}]`;
  }
  if (!isInputObjectType(inner)) {
    if (isJson(inner)) return jsonLiteral(value);
    return 'getValues' in inner ? String(value) : JSON.stringify(value);
  }
  const given = new Map(Object.entries(Object(value)));
  const fields = Object.values(inner.getFields()).flatMap((field) => {
    const isPlace = field.name === name && rest.length === 0;
    if (isPlace) return text === undefined ? [] : [`${field.name}: ${text}`];
    if (!given.has(field.name)) return [];
    const below = field.name === name ? { path: rest, text } : { path: ['none'], text };
    return [`${field.name}: ${literal(given.get(field.name), field.type, below)}`];
  });
  return `{ ${fields.join(', ')} }`;
}

const isJson = (type: GraphQLInputType) => String(type) === 'JSON';

function jsonLiteral(value: unknown): string {
  const variables = JSON.stringify(value);
  // Keys with hyphens are no names of GraphQL: values of JSON are sent as texts of variables elsewhere.
  return variables.replaceAll(/"([A-Za-z_]\w*)":/g, '$1: ');
}

beforeAll(async () => {
  const { app } = running;
  ({ tenant } = await prepareCases(app));
  ({ key } = await createKey(app, tenant));
  const { db } = app.services;
  const platform = await addPlatform(app, tenant.workspaces['main'] ?? '', 'walked');
  const { id: budget } = await db.budget.create({
    data: { accountId: tenant.accountId, name: 'walked', amount: 1n, period: 'monthly', thresholds: [] },
  });
  const role = { accountId: tenant.accountId, provider: 'default', name: 'walked', role: 'member' as const };
  const { id: groupRole } = await db.groupRole.create({
    data: { ...role, workspaceId: tenant.workspaces['main'] ?? '' },
  });
  const client = {
    id: 'walked-client',
    displayName: 'A client',
    scope: 'agents:list jobs:list',
    redirectUris: ['https://one.example.com/'],
    secretHash: Buffer.from('walked'),
  };
  await db.oauthClient.create({
    data: {
      ...client,
      grantTypes: ['authorization_code', 'client_credentials'],
      accountId: tenant.accountId,
      principalId: tenant.principalId,
    },
  });
  const { id: user } = await db.principal.create({ data: { kind: 'user', name: 'walked-user@example.com' } });
  const { id: service } = await db.principal.create({ data: { kind: 'service_account', name: 'walked-service' } });
  const executorRow = {
    name: 'walked-executor',
    // It deploys nothing of this test.
    regions: ['elsewhere-1'],
    kinds: ['VPC'],
    prefix: 'wcx_',
    hash: Buffer.from('walked'),
  };
  const { id: executor } = await db.executor.create({ data: executorRow });
  const hook = { name: 'walked', url: 'https://hooks.example.com/in' };
  const made = await mutate('createWebhook', '{ ... on CreateWebhookPayload { webhook { id } } }', { input: hook });
  if (made.errors !== undefined) throw new Error(JSON.stringify(made.errors));
  const { id: webhook } = await db.webhook.findFirstOrThrow({ where: { name: 'walked' } });
  Object.assign(ids, platform, {
    Account: tenant.accountId,
    Budget: budget,
    Executor: executor,
    GroupRole: groupRole,
    OauthClient: client.id,
    ServiceAccount: service,
    User: user,
    Webhook: webhook,
    Workspace: tenant.workspaces['main'],
  });
});

async function mutate(mutation: string, selection: string, { input }: { input: object }): Promise<Answer['body']> {
  const query = `mutation ($input: ${inputOf(mutation).name}!) { result: ${mutation}(input: $input) ${selection} }`;
  return (await graphql(running.app, key, query, { input })).body;
}

const selection = '{ __typename ... on Error { message } ... on InvalidInputError { problems { path } } }';

interface Outcome {
  isAccepted: boolean;
  /** Paths and messages of errors. */
  text: string;
}

function outcomeOf(body: Answer['body']): Outcome {
  const isAccepted = body.errors === undefined && body.data.result.__typename.endsWith('Payload');
  return { isAccepted, text: JSON.stringify(body) };
}

/** Columns that change with every update. */
const ofEveryUpdate = ['version', 'updated_at', 'updated_by', 'search', 'filter_values'];

/** The stored row as leaves: their values by path. */
async function stored({ row }: Update): Promise<Map<string, string>> {
  const { table, id } = row();
  const column = table === 'workspace_member' ? 'workspace_id' : 'id';
  const rows: { row: unknown }[] = await running.app.services.db.$queryRawUnsafe(
    `SELECT to_jsonb(t) - $2::text[] AS "row" FROM "${table}" AS t WHERE ${column}::text = $1`,
    table === 'workspace_member' ? tenant.workspaces['main'] : id,
    ofEveryUpdate,
  );
  return new Map(leavesOf(rows.map((each) => each.row)));
}

function leavesOf(value: unknown, path = ''): [string, string][] {
  if (typeof value !== 'object' || value === null) return value === null ? [] : [[path, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([name, each]) => leavesOf(each, `${path}/${name}`));
}

function changedPaths(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
}

/** Whether a path of the stored row belongs to a field: the column of `displayName` is `display_name`. */
function belongsTo(storedPath: string, field: string): boolean {
  const column = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const columns = [field, column, consequences[field]];
  return storedPath.split('/').some((name) => columns.includes(name) || name.startsWith(`${column}_`));
}

/** Applies a whole variant. @throws if it is refused. */
async function apply(mutation: string, update: Update, variant: object): Promise<Map<string, string>> {
  const outcome = outcomeOf(await mutate(mutation, selection, { input: { ...update.address(), ...variant } }));
  if (!outcome.isAccepted) throw new Error(outcome.text);
  return stored(update);
}

/** Sends an update of one field as a variable, with the values around it that are replaced with it. */
async function sendField(
  mutation: string,
  update: Update,
  variant: object,
  { path, type, isWithinReplaced }: Field,
  value: { text: string | undefined; variables?: Record<string, unknown> },
): Promise<Outcome> {
  const input = { ...update.address(), ...(isWithinReplaced ? within(variant, path) : around(path)) };
  const declared = value.text === undefined || value.text === 'null' ? '' : `($v: ${String(getNullableType(type))})`;
  const text = literal(input, inputOf(mutation), { path, text: value.text });
  const query = `mutation ${declared} { result: ${mutation}(input: ${text}) ${selection} }`;
  return outcomeOf((await graphql(running.app, key, query, value.variables)).body);
}

/** Only the objects that a field is in. */
function around([name = '', ...rest]: string[]): Record<string, unknown> {
  return rest.length === 0 ? { [name]: {} } : { [name]: around(rest) };
}

/** Only the value that is replaced, in the objects that it is in. */
function within(variant: unknown, path: string[]): Record<string, unknown> {
  const [name = '', next] = path;
  const value = valueAt(variant, [name]);
  const isWhole = next === undefined || next === '0' || Array.isArray(value) || replaced.includes(name);
  return { [name]: isWhole ? value : within(value, path.slice(1)) };
}

const walked = Object.entries(updates).flatMap(([mutation, update]) => {
  const addressed = ['name', 'workspace', 'account', 'provider', 'vpcName', 'gatewayName', 'sandboxName'];
  const fields = fieldsOf(inputOf(mutation)).filter(({ path: [name = '', ...rest] }) => {
    const isAddress = rest.length === 0 && addressed.includes(name) && !isChanged(update, name);
    return !isAddress && !(rest.length === 0 && controls.includes(name) && !isChanged(update, name));
  });
  return fields
    .filter(({ path }) => !unstored.some((each) => `${mutation} ${path.join('.')}`.startsWith(each)))
    .map((field) => ({ mutation, update, field, name: `${mutation} ${field.path.join('.')}` }));
});

function isChanged({ variants }: Update, name: string): boolean {
  return variants.some((variant) => name in variant);
}

/** Applies the variants up to the last one that has the field. */
async function applyUpTo(mutation: string, update: Update, { path }: Field) {
  const { variants } = update;
  const variant = variants.findLast((each) => valueAt(each, path) != null) ?? {};
  for (const each of variants.slice(0, variants.indexOf(variant))) await apply(mutation, update, each);
  return { variant, before: await apply(mutation, update, variant) };
}

const unsetVariable = { text: '$v' };
const nulls = [{ text: '$v', variables: { v: null } }, { text: 'null' }];

/** The differences from what an update of one field has to do. */
async function problemsOf(mutation: string, update: Update, field: Field): Promise<string[]> {
  const problems: string[] = [];
  const { variant, before } = await applyUpTo(mutation, update, field);
  const unset = await sendField(mutation, update, variant, field, unsetVariable);
  if (!unset.isAccepted) problems.push(`a variable that is not sent is refused: ${unset.text}`);
  const cleared = changedPaths(before, await stored(update));
  if (cleared.length > 0) problems.push(`a variable that is not sent changes ${cleared.join(', ')}`);
  for (const value of nulls) {
    const whole = await apply(mutation, update, variant);
    const removed = await sendField(mutation, update, variant, field, value);
    const changed = changedPaths(whole, await stored(update));
    problems.push(...problemsOfNull(field, removed, changed));
  }
  return problems;
}

/** Null removes the value of the field and no other, or is refused with an error that names the field. */
function problemsOfNull({ path }: Field, { isAccepted, text }: Outcome, changed: string[]): string[] {
  const name = path.at(-1) ?? '';
  if (!isAccepted) {
    const isNamed = text.includes(name);
    return [...(isNamed ? [] : [`null is refused without the field: ${text}`]), ...changed];
  }
  const others = changed.filter((each) => !belongsTo(each, name));
  return changed.length === 0 ? ['null is accepted and changes nothing'] : others.map((each) => `null changes ${each}`);
}

/** The differences from a field that is not given, in a value that is replaced as a whole. */
async function problemsWithinReplaced(mutation: string, update: Update, field: Field): Promise<string[]> {
  const { variant } = await applyUpTo(mutation, update, field);
  const left = await sendField(mutation, update, variant, field, { text: undefined });
  const without = await stored(update);
  const problems: string[] = [];
  for (const value of [unsetVariable, ...nulls]) {
    const { isAccepted, text } = await sendField(mutation, update, variant, field, value);
    const isSame = isAccepted === left.isAccepted && changedPaths(without, await stored(update)).length === 0;
    const isRefused = value !== unsetVariable && !isAccepted && text.includes(field.path.at(-1) ?? '');
    if (!isSame && !isRefused) problems.push(`${JSON.stringify(value)} is not as if it were left out: ${text}`);
  }
  return problems;
}

describe('Every field of an update', () => {
  it('is in a variant of this test', () => {
    const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {}).filter((name) =>
      name.startsWith('update'),
    );
    expect(Object.keys(updates).toSorted()).toEqual(mutations.toSorted());
    const missing = walked.filter(({ update, field }) =>
      update.variants.every((variant) => valueAt(variant, field.path) == null),
    );
    expect(
      missing.map(({ name }) => name),
      'give these fields a value in a variant in this file',
    ).toEqual([]);
  });

  it.each(walked.filter(({ field: { type } }) => !isNonNullType(type)))(
    '$name',
    async ({ mutation, update, field }) => {
      const problems = field.isWithinReplaced
        ? await problemsWithinReplaced(mutation, update, field)
        : await problemsOf(mutation, update, field);
      expect(problems).toEqual([]);
    },
  );
});
