// VPCs, their egress gateways and IPs created, updated and deleted through GraphQL: the same rules for each, and no
// deletion with child resources.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKey, createTenant, createToken, graphql, rest, useApp } from '../../harness.js';
import type { Answer, Tenant } from '../../harness.js';
import { addRegions, keyOfSomebody, mutate, problemsOf, startedInTurn } from '../mutations.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let count = 0;
let main: string;

beforeAll(() => addRegions(running.app));

beforeEach(async () => {
  const mark = `m${count++}`;
  main = `${mark}-main`;
  tenant = await createTenant(running.app, { account: mark, workspaces: [main, `${mark}-side`] });
  ({ key } = await createKey(running.app, tenant));
});

type Verb = 'create' | 'update' | 'delete';

interface Kind {
  type: string;
  field: string;
  /** Where it is. */
  parents: Record<string, string>;
  /** The names of its deletion input. */
  /** As the history has it. */
  word: string;
  selection: string;
  /** Its creation input, and the result of a read. */
  spec: object;
  reads: object;
  /** Specs that break rules, and which. */
  broken: [object, string[]][];
}

const vpc: Kind = {
  type: 'Vpc',
  field: 'vpc',
  parents: {},
  word: 'VPC',
  selection: 'version status spec { cidrBlock region } metadata { name displayName createdBy } events { type }',
  spec: { cidrBlock: '10.0.0.0/16', region: 'eu-open' },
  reads: { cidrBlock: '10.0.0.0/16', region: 'eu-open' },
  broken: [
    [{ cidrBlock: '10.0.0.0/99' }, ['spec.cidrBlock invalid_format']],
    [{ region: 'eu-closed' }, ['spec.region not_available']],
    [{ cidrBlock: '10.0.0.0/99', region: 'eu-closed' }, ['spec.cidrBlock invalid_format', 'spec.region not_available']],
  ],
};

const gateway: Kind = {
  type: 'EgressGateway',
  field: 'egressGateway',
  parents: { vpcName: 'net' },
  word: 'EGRESS_GATEWAY',
  selection: 'version status spec { region } metadata { name displayName createdBy vpcName } events { type }',
  spec: { region: 'eu-egress' },
  reads: { region: 'eu-egress' },
  broken: [
    [{ region: 'eu-open' }, ['spec.region not_available']],
    [{ region: 'moon' }, ['spec.region not_available']],
  ],
};

const ip: Kind = {
  type: 'EgressIp',
  field: 'egressIp',
  parents: { vpcName: 'net', gatewayName: 'gate' },
  word: 'EGRESS_IP',
  selection:
    'version spec { ipFamily publicIp } metadata { name displayName createdBy gatewayName vpcName } events { type }',
  spec: {},
  reads: { ipFamily: 'ipv4', publicIp: null },
  broken: [[{ ipFamily: 'ipx' }, ['spec.ipFamily invalid_value']]],
};

const kinds = [vpc, gateway, ip];

function change(kind: Kind, verb: Verb, input: Record<string, unknown>, by = key): Promise<Answer['body']> {
  const given = { workspace: main, ...kind.parents, ...input };
  return mutate(running.app, by, `${verb}${kind.type}`, `${kind.field} { id ${kind.selection} }`, given);
}

const make = (kind: Kind, name: string, more: object = {}) =>
  change(kind, 'create', { metadata: { name }, spec: kind.spec, ...more });

/** The parent of a resource of this kind. */
async function makeParents(kind: Kind): Promise<void> {
  if (kind !== vpc) await make(vpc, 'net');
  if (kind === ip) await make(gateway, 'gate');
}

const history = (kind: Kind) =>
  running.app.services.db.change.findMany({
    where: { accountId: tenant.accountId, kind: kind.word },
    orderBy: { sequence: 'asc' },
  });

/** The resources in the list of their parents. */
async function read(kind: Kind): Promise<Answer['body'][]> {
  const list = (inner: string) => `vpcs(first: 5, workspace: "${main}") { nodes { ${inner} } }`;
  const nested: Record<string, string> = {
    Vpc: kind.selection,
    EgressGateway: `egressGateways(first: 5) { nodes { ${kind.selection} } }`,
    EgressIp: `egressGateways(first: 5) { nodes { ips(first: 5) { nodes { ${kind.selection} } } } }`,
  };
  const { body } = await graphql(running.app, key, `{ ${list(nested[kind.type] ?? '')} }`);
  expect(body.errors).toBeUndefined();
  const { nodes } = body.data.vpcs;
  if (kind === vpc) return nodes;
  const gateways = nodes.flatMap((each: Answer['body']) => each.egressGateways.nodes);
  return kind === gateway ? gateways : gateways.flatMap((each: Answer['body']) => each.ips.nodes);
}

describe.each(kinds)('$type', (kind) => {
  beforeEach(() => makeParents(kind));

  it('is created, readable and recorded immediately', async () => {
    const made = await make(kind, 'one');
    expect(made).toMatchObject({
      __typename: `Create${kind.type}Payload`,
      [kind.field]: {
        version: 1,
        spec: kind.reads,
        metadata: { name: 'one', displayName: null, createdBy: expect.stringContaining('owner@'), ...kind.parents },
        events: [{ type: 'creation' }],
      },
    });
    expect(await read(kind)).toMatchObject([{ version: 1, spec: kind.reads, metadata: { name: 'one' } }]);
    expect(await history(kind)).toMatchObject([{ verb: 'created', name: 'one', version: 1, before: null }]);
  });

  it('is validated, and all problems are returned together', async () => {
    for (const [spec, problems] of kind.broken) {
      expect(problemsOf(await change(kind, 'create', { metadata: { name: 'one' }, spec }))).toEqual(problems);
    }
    const refused = await change(kind, 'create', {
      metadata: { name: 'Not a name', displayName: '' },
      spec: kind.spec,
    });
    expect(problemsOf(refused)).toEqual(['metadata.name invalid_format', 'metadata.displayName too_short']);
    const [[spec, problems] = [{}, []]] = kind.broken;
    expect(problemsOf(await change(kind, 'create', { metadata: { name: 'Not a name' }, spec }))).toEqual([
      'metadata.name invalid_format',
      ...problems,
    ]);
    expect(await history(kind)).toEqual([]);
  });

  it('is updated field by field, by one of several concurrent editors', async () => {
    await make(kind, 'one', { metadata: { name: 'one', displayName: 'One' } });
    const changed = await change(kind, 'update', { name: 'one', metadata: { displayName: 'First' }, ifVersion: 1 });
    expect(changed[kind.field]).toMatchObject({ version: 2, spec: kind.reads, metadata: { displayName: 'First' } });
    const late = await change(kind, 'update', { name: 'one', metadata: { displayName: 'Second' }, ifVersion: 1 });
    expect(late).toMatchObject({
      code: 'version_mismatch',
      currentVersion: 2,
      changedFields: ['metadata.displayName'],
    });
    expect((await change(kind, 'delete', { name: 'one', ifVersion: 1 })).code).toBe('version_mismatch');
    expect((await change(kind, 'update', { name: 'one', metadata: {} }))[kind.field].version).toBe(2);
    const removed = await change(kind, 'update', { name: 'one', metadata: { displayName: null } });
    expect(removed[kind.field]).toMatchObject({ version: 3, metadata: { displayName: null } });
    expect((await history(kind))[1]).toMatchObject({
      verb: 'updated',
      before: { metadata: { displayName: 'One' } },
      after: { metadata: { displayName: 'First' } },
    });
  });

  it('gives its name to one of twelve concurrent callers, and again when it is free', async () => {
    const results = await Promise.all(Array.from({ length: 12 }, () => make(kind, 'one')));
    expect(results.filter(({ code }) => code === 'name_taken')).toHaveLength(11);
    const deleted = await change(kind, 'delete', { name: 'one' });
    expect(deleted[kind.field].events).toEqual([{ type: 'creation' }, { type: 'deletion' }]);
    expect(await read(kind)).toEqual([]);
    expect((await make(kind, 'one')).__typename).toBe(`Create${kind.type}Payload`);
    expect((await history(kind)).map(({ verb }) => verb)).toEqual(['created', 'deleted', 'created']);
  });

  it('is unchanged by a dry run', async () => {
    await make(kind, 'one');
    const before = await read(kind);
    const tries: [Verb, Record<string, unknown>][] = [
      ['create', { metadata: { name: 'two' }, spec: kind.spec }],
      ['update', { name: 'one', metadata: { displayName: 'New' } }],
      ['delete', { name: 'one' }],
    ];
    for (const [verb, input] of tries) {
      expect((await change(kind, verb, { ...input, validateOnly: true })).__typename).toMatch(/Payload$/);
    }
    expect(await read(kind)).toEqual(before);
    expect(await history(kind)).toHaveLength(1);
  });

  it('requires the scope admin, and rejects viewers and other accounts', async () => {
    await make(kind, 'one');
    const { app } = running;
    const stranger = await createTenant(app, { account: `${main}-x`, workspaces: [`${main}-x`] });
    const refused = [
      (await createToken(app, tenant, 'volumes:create volumes:delete workspaces:update')).token,
      await keyOfSomebody(app, tenant, { account: 'viewer' }),
      await keyOfSomebody(app, tenant, { account: 'member', workspace: main, role: 'viewer' }),
      (await createKey(app, stranger)).key,
    ];
    for (const by of refused) {
      expect((await change(kind, 'create', { metadata: { name: 'two' } }, by)).__typename).toBe('ForbiddenError');
      expect((await change(kind, 'update', { name: 'one' }, by)).__typename).toBe('ForbiddenError');
      expect((await change(kind, 'delete', { name: 'one' }, by)).__typename).toBe('ForbiddenError');
    }
    const member = await keyOfSomebody(app, tenant, { account: 'member', workspace: main, role: 'member' });
    expect((await change(kind, 'delete', { name: 'one' }, member)).__typename).toMatch(/Payload$/);
  });

  it('returns 404 for an unknown name, and in an unknown parent', async () => {
    expect((await change(kind, 'update', { name: 'nobody' })).__typename).toBe('NotFoundError');
    expect((await change(kind, 'delete', { name: 'nob\u0000ody' })).__typename).toBe('NotFoundError');
    for (const parent of Object.keys(kind.parents)) {
      const elsewhere = { [parent]: 'nowhere' };
      const missing = {
        __typename: 'NotFoundError',
        message: `There is no ${parent === 'vpcName' ? 'VPC' : 'egress gateway'} named "nowhere" here.`,
      };
      expect(await make(kind, 'one', elsewhere)).toMatchObject(missing);
      expect(await change(kind, 'update', { name: 'one', ...elsewhere })).toMatchObject(missing);
      expect(await change(kind, 'delete', { name: 'one', ...elsewhere })).toMatchObject(missing);
    }
  });
});

describe.each([
  { parent: vpc, name: 'net', child: gateway, within: { vpcName: 'net' } },
  { parent: gateway, name: 'gate', child: ip, within: { vpcName: 'net' } },
])('$parent.type with child resources', ({ parent, name, child, within }) => {
  const remove = () => change({ ...parent, parents: parent === vpc ? {} : within }, 'delete', { name });

  beforeEach(() => makeParents(child));

  it('is not deleted, and the error lists them', async () => {
    for (const each of ['b', 'a']) await make(child, each);
    expect(await remove()).toMatchObject({
      __typename: 'ConflictError',
      code: 'in_use',
      usedByCount: 2,
      usedBy: [
        { kind: child.word, name: 'a' },
        { kind: child.word, name: 'b' },
      ],
    });
    for (const each of ['b', 'a']) await change(child, 'delete', { name: each });
    expect((await remove()).__typename).toBe(`Delete${parent.type}Payload`);
  });

  it('waits for a concurrent creation in it, and is not deleted', async () => {
    const [made, removed] = await startedInTurn<Answer['body']>(running.app, tenant.accountId, [
      () => make(child, 'late'),
      remove,
    ]);
    expect(made.__typename).toBe(`Create${child.type}Payload`);
    expect(removed.code).toBe('in_use');
  });

  it('rejects a creation after its deletion with 404', async () => {
    const [removed, made] = await startedInTurn<Answer['body']>(running.app, tenant.accountId, [
      remove,
      () => make(child, 'late'),
    ]);
    expect(removed.__typename).toBe(`Delete${parent.type}Payload`);
    expect(made.__typename).toBe('NotFoundError');
    expect(await history(child)).toEqual([]);
  });
});

describe('A field that never changes', () => {
  it.each([
    ['updateVpc', '{name: "net", spec: {region: "eu-egress"}}', '"region" is not defined'],
    ['updateEgressGateway', '{vpcName: "net", name: "gate", spec: {region: "eu-egress"}}', '"spec" is not defined'],
    ['updateEgressIp', '{vpcName: "n", gatewayName: "g", name: "i", spec: {}}', '"spec" is not defined'],
    [
      'createEgressIp',
      '{vpcName: "n", gatewayName: "g", metadata: {name: "i"}, spec: {publicIp: "203.0.113.9"}}',
      '"publicIp" is not defined',
    ],
  ])('or that only the platform sets is not in %s', async (mutation, input, message) => {
    const { body } = await graphql(running.app, key, `mutation { ${mutation}(input: ${input}) { __typename } }`);
    expect(body.errors[0].message).toContain(message);
  });
});

describe('The block of a VPC', () => {
  it('can be updated and removed', async () => {
    await make(vpc, 'net');
    const changed = await change(vpc, 'update', { name: 'net', spec: { cidrBlock: '10.1.0.0/16' } });
    expect(changed.vpc).toMatchObject({ version: 2, spec: { cidrBlock: '10.1.0.0/16', region: 'eu-open' } });
    const bare = await change(vpc, 'update', { name: 'net', spec: { cidrBlock: null } });
    expect(bare.vpc.spec).toEqual({ cidrBlock: null, region: 'eu-open' });
  });
});

describe('An egress IP', () => {
  it('is found by its address after a new display name, and is also deleted by REST', async () => {
    await makeParents(ip);
    await make(ip, 'one', { spec: { ipFamily: 'ipv6' } });
    const where = { workspaceId: tenant.workspaces[main] ?? '' };
    await running.app.services.db.egressIp.updateMany({
      where,
      data: { spec: { ipFamily: 'ipv6', publicIp: '2001:db8::7' } },
    });
    await change(ip, 'update', { name: 'one', metadata: { displayName: 'Customs' } });
    const query = `{ vpc(workspace: "${main}", name: "net") { egressGateway(name: "gate") { ips(search: "2001:DB8") { nodes { spec { publicIp } } } } } }`;
    const { body } = await graphql(running.app, key, query);
    expect(body.data.vpc.egressGateway.ips.nodes).toEqual([{ spec: { publicIp: '2001:db8::7' } }]);
    const headers = { 'x-service-workspace': main };
    const gone = await rest(running.app, '/vpcs/net/egressgateways/gate/ips/one', { key, method: 'DELETE', headers });
    expect(gone).toMatchObject({ status: 200, body: { spec: { publicIp: '2001:db8::7' } } });
  });
});
