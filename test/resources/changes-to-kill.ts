// Changes of different kinds, to be interrupted between their statements, and their complete results.
import { createKey, createTenant, frozenNow } from '../harness.js';
import type { Tenant, TestApp } from '../harness.js';
import { addPlatform, anExecution } from '../platform.js';
import { insertExecutions, insertJobs } from '../../src/demo/rows/job-input.js';
import { addRegions, mutate } from './mutations.js';

/**
 * The location of the changes: the workspace main of one account, and the workspace elsewhere of another, with a key
 * for each.
 */
export interface Ground {
  app: TestApp;
  tenant: Tenant;
  key: string;
  foreignKey: string;
}

export async function prepareGround(app: TestApp): Promise<Ground> {
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  const foreign = await createTenant(app, { account: 'southwind', workspaces: ['elsewhere'] });
  const { key } = await createKey(app, tenant);
  const { key: foreignKey } = await createKey(app, foreign);
  await addRegions(app);
  // Each account has a history before anything is interrupted.
  for (const [workspace, by] of [
    ['main', key],
    ['elsewhere', foreignKey],
  ] as const) {
    await mutate(app, by, 'createAgent', '__typename', { workspace, metadata: { name: 'first' } });
  }
  return { app, tenant, key, foreignKey };
}

export interface KilledChange {
  mutation: string;
  /** The selection of its payload. */
  fields: string;
  /** Creates its prerequisites, with a mark in their names, and returns its input. */
  input: (ground: Ground, mark: string) => Promise<object> | object;
  /** How many rows more there are of each table when it is done; the history has as many records as it says. */
  rows: Record<string, number>;
}

const main = { workspace: 'main' };

async function aJobIn({ app, tenant }: Ground, name: string): Promise<string> {
  const { db, encryption } = app.services;
  const id = crypto.randomUUID();
  const workspaceId = tenant.workspaces['main'] ?? '';
  const times = { createdAt: frozenNow.toISOString(), updatedAt: frozenNow.toISOString() };
  await insertJobs(db, encryption, workspaceId, [{ id, metadata: { name, ...times }, spec: { timeout: 60 } }]);
  return id;
}

async function anImage(app: TestApp, by: string, workspace: string, imageName: string): Promise<object> {
  const image = { workspace, resourceType: 'AGENTS' };
  for (const name of ['v1', 'v2']) {
    await mutate(app, by, 'registerImageTag', '__typename', { ...image, imageName, tag: { name, size: 5 } });
  }
  return image;
}

export const killedChanges: KilledChange[] = [
  {
    mutation: 'createAgent',
    fields: 'agent { id version }',
    input: async (ground, mark) => {
      const volume = { ...main, metadata: { name: mark }, spec: { region: 'eu-open', sizeMb: 10 } };
      await mutate(ground.app, ground.key, 'createVolume', '__typename', volume);
      const volumes = [{ type: 'PERSISTENT', name: mark, mountPath: '/data' }];
      return { ...main, metadata: { name: mark }, spec: { region: 'eu-open', volumes } };
    },
    rows: { agent: 1, change: 1 },
  },
  {
    mutation: 'deleteJob',
    fields: 'job { id version }',
    input: async (ground, mark) => {
      const job = await aJobIn(ground, mark);
      const { db, encryption } = ground.app.services;
      const executions = [anExecution(job, crypto.randomUUID()), anExecution(job, crypto.randomUUID())];
      await insertExecutions(db, encryption, ground.tenant.workspaces['main'] ?? '', executions);
      return { ...main, name: mark };
    },
    rows: { job: -1, job_execution: -2, change: 3 },
  },
  {
    mutation: 'acceptImageShare',
    fields: 'imageShare { id version } image { id version }',
    input: async ({ app, foreignKey }, mark) => {
      const image = await anImage(app, foreignKey, 'elsewhere', mark);
      const offer = { ...image, name: mark, targetAccount: 'northwind', targetWorkspace: 'main' };
      const made = await mutate(app, foreignKey, 'shareImage', 'imageShare { id }', offer);
      return { id: made.imageShare.id };
    },
    rows: { image: 1, image_tag: 2, change: 3 },
  },
  {
    mutation: 'deleteWorkspace',
    fields: 'workspace { id version }',
    input: async ({ app, key, tenant }, name) => {
      await mutate(app, key, 'createWorkspace', '__typename', { metadata: { name } });
      const { id } = await app.services.db.workspace.findUniqueOrThrow({ where: { name } });
      await addPlatform(app, id, name);
      await createKey(app, { ...tenant, workspaceId: id });
      return { name, force: true };
    },
    rows: {
      workspace: -1, agent: -1, sandbox: -1, sandbox_preview: -1, job: -1, job_execution: -1, volume: -1, vpc: -1,
      egress_gateway: -1, egress_ip: -1, image: -1, image_tag: -1, image_share: -1, api_key: -1, change: 14,
    }, // prettier-ignore
  },
];
