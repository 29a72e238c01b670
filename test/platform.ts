// One of each resource in a workspace, with a mark in every name.
import { randomUUID } from 'node:crypto';
import { insertImages } from '../src/demo/rows/image-input.js';
import { insertExecutions, insertJobs } from '../src/demo/rows/job-input.js';
import type { ExecutionInput } from '../src/demo/rows/job-input.js';
import { insertEgressGateways, insertEgressIps, insertVpcs } from '../src/demo/rows/network-input.js';
import { insertPreviews, insertSandboxes } from '../src/demo/rows/sandbox-input.js';
import type { PreviewInput } from '../src/demo/rows/sandbox-input.js';
import { insertVolumes } from '../src/demo/rows/volume-input.js';
import { addAgents, anAgent, frozenNow } from './harness.js';
import { insertImageShares } from './image-shares.js';
import type { TestApp } from './harness.js';

const now = frozenNow.toISOString();
const times = { createdAt: now, updatedAt: now };

/** The ids of the created resources, by GraphQL type. */
export type Platform = Record<
  | 'Agent'
  | 'EgressGateway'
  | 'EgressIp'
  | 'Image'
  | 'ImageShare'
  | 'ImageTag'
  | 'Job'
  | 'JobExecution'
  | 'Sandbox'
  | 'SandboxPreview'
  | 'Volume'
  | 'Vpc',
  string
>;

export function aPreview(sandboxId: string, name: string, createdAt = now): PreviewInput {
  return {
    sandboxId,
    metadata: { name, displayName: `Preview ${name}`, createdAt, updatedAt: createdAt, createdBy: 'somebody' },
    spec: { port: 3000, public: false, requestHeaders: { 'x-from': name } },
    events: [{ time: createdAt, type: 'creation', status: 'DEPLOYED', message: `made ${name}` }],
  };
}

export function anExecution(jobId: string, id: string, createdAt = now): ExecutionInput {
  return {
    id,
    jobId,
    cluster: 'cluster-a',
    createdAt,
    updatedAt: createdAt,
    startedAt: createdAt,
    status: 'failed',
    spec: { envOverride: { PASSWORD: 'do not tell' }, memoryOverride: 2048, parallelism: 2, timeout: 600 },
    stats: { cancelled: 0, failure: 1, retried: 1, running: 0, success: 0, total: 1 },
    tasks: [
      {
        metadata: { name: 'task-0', createdAt, startedAt: createdAt },
        spec: { maxRetries: 1, timeout: '5m' },
        conditions: [{ type: 'Completed', state: 'False', reason: 'NonZeroExit', message: 'exit code 1' }],
      },
    ],
  };
}

/** @param mark part of every name: lowercase letters and digits */
export async function addPlatform(app: TestApp, workspaceId: string, mark: string): Promise<Platform> {
  const { db, encryption } = app.services;
  const ids: Platform = {
    Agent: randomUUID(),
    EgressGateway: randomUUID(),
    EgressIp: randomUUID(),
    Image: randomUUID(),
    ImageShare: randomUUID(),
    ImageTag: randomUUID(),
    Job: randomUUID(),
    JobExecution: randomUUID(),
    Sandbox: randomUUID(),
    SandboxPreview: randomUUID(),
    Volume: randomUUID(),
    Vpc: randomUUID(),
  };
  const named = (kind: string) => ({
    metadata: { name: `${mark}-${kind}`, displayName: `${mark} ${kind}`, ...times },
    events: [{ time: now, type: 'creation', message: `made ${mark}` }],
  });
  await addAgents(app, workspaceId, [{ ...anAgent(`${mark}-agent`), id: ids.Agent }]);
  await insertSandboxes(db, encryption, workspaceId, [
    {
      id: ids.Sandbox,
      ...named('sandbox'),
      status: 'DEPLOYED',
      spec: { runtime: { memory: 2048, envs: [{ name: 'TOKEN', value: `secret of ${mark}`, secret: true }] } },
    },
  ]);
  await insertPreviews(db, encryption, workspaceId, [
    { ...aPreview(ids.Sandbox, `${mark}-preview`), id: ids.SandboxPreview },
  ]);
  await insertJobs(db, encryption, workspaceId, [{ id: ids.Job, ...named('job'), spec: { timeout: 60 } }]);
  await insertExecutions(db, encryption, workspaceId, [anExecution(ids.Job, ids.JobExecution)]);
  await insertVolumes(db, encryption, workspaceId, [
    { id: ids.Volume, ...named('volume'), spec: { region: 'eu-frankfurt-1', sizeMb: 10 } },
  ]);
  await insertVpcs(db, encryption, workspaceId, [{ id: ids.Vpc, ...named('vpc'), spec: { cidrBlock: '10.0.0.0/16' } }]);
  await insertEgressGateways(db, encryption, workspaceId, [
    { id: ids.EgressGateway, vpcId: ids.Vpc, ...named('gateway'), spec: { region: 'eu-frankfurt-1' } },
  ]);
  await insertEgressIps(db, encryption, workspaceId, [
    {
      id: ids.EgressIp,
      gatewayId: ids.EgressGateway,
      ...named('ip'),
      spec: { ipFamily: 'ipv4', publicIp: '203.0.113.7' },
    },
  ]);
  await insertImages(db, workspaceId, [
    {
      id: ids.Image,
      resourceType: 'agents',
      name: `${mark}-image`,
      ...times,
      tags: [{ id: ids.ImageTag, name: `${mark}-v1.0`, size: 7, ...times }],
      events: [{ time: now, type: 'push', message: `pushed by ${mark}` }],
    },
  ]);
  await insertImageShares(db, workspaceId, [
    {
      id: ids.ImageShare,
      resourceType: 'jobs',
      imageName: `${mark}-offered`,
      sourceAccount: `${mark}-giver`,
      sourceWorkspace: `${mark}-lab`,
      ...times,
    },
  ]);
  return ids;
}
