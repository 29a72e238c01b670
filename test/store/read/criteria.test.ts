// The filters of each kind: of two resources, each filter finds the matching one.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { insertImages } from '../../../src/demo/rows/image-input.js';
import { insertExecutions, insertJobs } from '../../../src/demo/rows/job-input.js';
import { insertEgressGateways, insertEgressIps, insertVpcs } from '../../../src/demo/rows/network-input.js';
import { insertPreviews, insertSandboxes } from '../../../src/demo/rows/sandbox-input.js';
import { insertVolumes } from '../../../src/demo/rows/volume-input.js';
import { addAgents, anAgent, createKey, createTenant, frozenNow, graphql, useApp } from '../../harness.js';
import { anExecution, aPreview } from '../../platform.js';
import { insertImageShares } from '../../image-shares.js';

const running = useApp();
let key: string;

const now = frozenNow.toISOString();
const earlier = '2026-11-19T12:00:00.000Z';
const eu = { spec: { region: 'eu-1' } };

beforeAll(async () => {
  const { app } = running;
  const { db, encryption } = app.services;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'second'] });
  ({ key } = await createKey(app, tenant));
  const main = tenant.workspaces['main'] ?? '';
  const second = tenant.workspaces['second'] ?? '';
  const named = (name: string, createdAt: string) => ({ metadata: { name, createdAt, updatedAt: createdAt } });
  const [one, other] = [named('one', now), named('other', earlier)];
  const volume = (name: string) => ({
    ...one,
    metadata: { ...one.metadata, name },
    spec: { region: 'eu-1', sizeMb: 1 },
  });
  await insertVolumes(db, encryption, main, ['by-agent', 'by-sandbox', 'scratch', 'elsewhere', 'loose'].map(volume));
  const mounts = (name: string, type: 'persistent' | 'ephemeral' = 'persistent') => [
    { name, type, mountPath: '/m', sizeMb: 1 },
  ];
  await addAgents(app, main, [
    anAgent('mounts', { spec: { region: 'eu-1', volumes: mounts('by-agent') } }),
    anAgent('scratches', { spec: { region: 'eu-1', volumes: mounts('scratch', 'ephemeral') } }),
    anAgent('tasked', {
      spec: {
        runtime: { generation: 'mk2' },
        triggers: [
          // Tasks contain arbitrary data of callers.
          {
            type: 'http',
            enabled: true,
            configuration: { tasks: [{ generation: 'mk3', type: 'cron', enabled: 'true' }] },
          },
          { type: 'http-async', enabled: false },
        ],
      },
    }),
  ]);
  await addAgents(app, second, [anAgent('stranger', { spec: { region: 'eu-1', volumes: mounts('elsewhere') } })]);
  const boxes = { one: randomUUID(), other: randomUUID() };
  await insertSandboxes(db, encryption, main, [
    { ...one, id: boxes.one, spec: { region: 'eu-1', volumes: mounts('by-sandbox') }, status: 'FAILED' },
    { ...other, id: boxes.other, spec: { enabled: false, runtime: { image: 'web', generation: 'mk3' } } },
  ]);
  const shown = aPreview(boxes.one, 'shown');
  await insertPreviews(db, encryption, main, [
    { ...shown, spec: { ...shown.spec, public: true } },
    aPreview(boxes.one, 'hidden'),
  ]);
  const jobs = { one: randomUUID(), other: randomUUID() };
  await insertJobs(db, encryption, main, [
    { ...one, id: jobs.one, spec: { runtime: { image: 'etl' } } },
    { ...other, id: jobs.other, spec: {} },
  ]);
  await insertExecutions(db, encryption, main, [
    anExecution(jobs.one, '00000000-0000-4000-8000-000000000001'),
    {
      ...anExecution(jobs.one, '00000000-0000-4000-8000-000000000002', earlier),
      status: 'succeeded',
      completedAt: earlier,
      cluster: 'cluster-b',
    },
  ]);
  const vpc = randomUUID();
  await insertVpcs(db, encryption, main, [
    { ...one, id: vpc, spec: { region: 'eu-1' } },
    { ...other, spec: {} },
  ]);
  const gateway = randomUUID();
  await insertEgressGateways(db, encryption, main, [
    { ...one, ...eu, id: gateway, vpcId: vpc, status: 'DEPLOYED' },
    { ...other, vpcId: vpc, spec: {} },
  ]);
  const address = (publicIp: string) => ({ spec: { ipFamily: 'ipv4' as const, publicIp } });
  await insertEgressIps(db, encryption, main, [
    { ...one, ...address('203.0.113.1'), gatewayId: gateway },
    { ...other, ...address('203.0.113.2'), gatewayId: gateway },
  ]);
  const tag = (name: string, createdAt: string) => ({ name, size: 1, createdAt, updatedAt: createdAt });
  await insertImages(db, main, [
    {
      resourceType: 'agents',
      name: 'one',
      createdAt: now,
      updatedAt: now,
      tags: [tag('v1', now), tag('old', earlier)],
    },
    { resourceType: 'jobs', name: 'other', createdAt: earlier, updatedAt: earlier, tags: [tag('v2', now)] },
  ]);
  const lab = { sourceWorkspace: 'lab', createdAt: now, updatedAt: now };
  await insertImageShares(db, main, [
    { ...lab, imageName: 'one', sourceAccount: 'giver', resourceType: 'jobs' },
    { ...lab, imageName: 'other', sourceAccount: 'lender', resourceType: 'agents' },
  ]);
});

/** The identifying field of the items, if it is not the name in their metadata. */
const namesOf: Record<string, string> = {
  'jobs.executions': 'status',
  'images.tags': 'name',
  pendingImageShares: 'spec { imageName }',
};

type Named = { metadata?: { name: string }; spec?: { imageName: string }; status?: string; name?: string };

/** The names that a list of the main workspace finds, or a list in the one that is called `one`. */
async function names(list: string, filter: object): Promise<string[]> {
  const [outer = '', inner] = list.split('.');
  const found = `{ filteredCount nodes { ${namesOf[list] ?? 'metadata { name }'} } }`;
  const nested = `${inner ?? ''}(filter: $filter) ${found}`;
  const within = list === 'images.tags' ? `spec { ${nested} }` : nested;
  const query =
    inner === undefined
      ? `query ($filter: ${types[list]}) { list: ${outer}(workspace: "main", filter: $filter) ${found} }`
      : `query ($filter: ${types[list]}) { list: ${outer}(workspace: "main", filter: {name: {in: ["one"]}}) { nodes { ${within} } } }`;
  const { body } = await graphql(running.app, key, query, { filter });
  expect(body.errors).toBeUndefined();
  const [owner] = body.data.list.nodes;
  const page = inner === undefined ? body.data.list : (owner.spec?.tags ?? owner[inner]);
  const read = page.nodes.map(
    ({ name, metadata, spec, status }: Named) => name ?? metadata?.name ?? spec?.imageName ?? status,
  );
  expect(page.filteredCount).toBe(read.length);
  return read;
}

const types: Record<string, string> = {
  agents: 'AgentFilter',
  sandboxes: 'SandboxFilter',
  'sandboxes.previews': 'SandboxPreviewFilter',
  jobs: 'JobFilter',
  'jobs.executions': 'JobExecutionFilter',
  volumes: 'VolumeFilter',
  vpcs: 'VpcFilter',
  'vpcs.egressGateways': 'EgressGatewayFilter',
  images: 'ImageFilter',
  'images.tags': 'ImageTagFilter',
  pendingImageShares: 'ImageShareFilter',
};

describe('A filter by', () => {
  it.each([
    ['agents', { volumes: ['by-agent'] }, ['mounts']],
    ['agents', { volumes: ['scratch', 'elsewhere'] }, []],
    ['agents', { triggerType: ['HTTP'] }, ['tasked']],
    ['agents', { triggerType: ['CRON', 'HTTP_ASYNC'] }, ['tasked']],
    ['agents', { triggerType: ['CRON'] }, []],
    ['agents', { generation: { in: ['MK2'] } }, ['tasked']],
    ['agents', { generation: { in: ['MK3'] } }, []],
    ['agents', { not: { generation: { in: ['MK2'] } } }, ['mounts', 'scratches']],
    ['agents', { or: [{ triggerType: ['CRON'] }, { volumes: ['by-agent'] }] }, ['mounts']],
    ['sandboxes', { status: { in: ['FAILED'] } }, ['one']],
    ['sandboxes', { enabled: false }, ['other']],
    ['sandboxes', { image: { in: ['web'] }, generation: { in: ['MK3'] } }, ['other']],
    ['sandboxes', { volumes: ['by-sandbox'] }, ['one']],
    ['sandboxes.previews', { public: true }, ['shown']],
    ['sandboxes.previews', { public: false, createdBy: { in: ['somebody'] } }, ['hidden']],
    ['jobs', { image: { in: ['etl'] } }, ['one']],
    ['jobs', { createdAt: { to: now } }, ['other']],
    ['jobs.executions', { status: { in: ['FAILED'] } }, ['FAILED']],
    ['jobs.executions', { createdAt: { to: now } }, ['SUCCEEDED']],
    ['jobs.executions', { completedAt: { from: earlier } }, ['SUCCEEDED']],
    ['jobs.executions', { cluster: { in: ['cluster-b'] } }, ['SUCCEEDED']],
    ['jobs.executions', { not: { completedAt: { from: earlier } } }, ['FAILED']],
    ['jobs.executions', { completedAt: { isSet: false } }, ['FAILED']],
    ['jobs.executions', { completedAt: { isSet: true } }, ['SUCCEEDED']],
    ['sandboxes', { image: { isSet: false } }, ['one']],
    ['sandboxes', { generation: { isSet: true } }, ['other']],
    ['sandboxes', { status: { isSet: false } }, ['other']],
    ['vpcs', { region: { isSet: false } }, ['other']],
    ['vpcs', { region: { contains: '-1' } }, ['one']],
    ['images', { lastDeployedAt: { isSet: true } }, []],
    ['images', { name: { contains: 'the' } }, ['other']],
    ['volumes', { attached: true, name: { startsWith: 'by-' } }, ['by-sandbox', 'by-agent']],
    ['volumes', { attached: false, region: { in: ['eu-1'] } }, ['scratch', 'loose', 'elsewhere']],
    ['vpcs', { region: { in: ['eu-1'] } }, ['one']],
    ['vpcs.egressGateways', { region: { in: ['eu-1'] } }, ['one']],
    ['vpcs.egressGateways', { status: { in: ['DEPLOYED'] } }, ['one']],
    ['images', { tags: ['v2', 'v3'] }, ['other']],
    ['images', { resourceType: { in: ['AGENTS'] } }, ['one']],
    ['images.tags', { name: { startsWith: 'v' } }, ['v1']],
    ['images.tags', { createdAt: { to: now } }, ['old']],
    ['pendingImageShares', { sourceAccount: { in: ['giver'] } }, ['one']],
    ['pendingImageShares', { resourceType: { in: ['AGENTS'] }, imageName: { in: ['other'] } }, ['other']],
  ])('%s with %j', async (list, filter, expected) => {
    expect((await names(list, filter)).toSorted()).toEqual(expected.toSorted());
  });

  it('egress IP address', async () => {
    const query = `{ vpcs(workspace: "main", first: 1, filter: {name: {in: ["one"]}}) { nodes { egressGateways(first: 1, filter: {name: {in: ["one"]}}) {
      nodes { ips(first: 5, filter: {publicIp: { in: ["203.0.113.2"] }}) { totalCount filteredCount nodes { metadata { name } } } } } } } }`;
    const { body } = await graphql(running.app, key, query);
    const [gateway] = body.data.vpcs.nodes[0].egressGateways.nodes;
    expect(gateway.ips).toEqual({ totalCount: 2, filteredCount: 1, nodes: [{ metadata: { name: 'other' } }] });
  });
});
