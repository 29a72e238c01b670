// The demo's resources beside agents: they have every state that there is, belong together, and are the same
// every time.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';
import type { OpenDatabase } from '../../src/database/open.js';
import { mainWorkspace } from '../../src/demo/company.js';
import { demoExecutions } from '../../src/demo/executions.js';
import { demoImages, demoImageShares } from '../../src/demo/images.js';
import { demoJobs } from '../../src/demo/jobs.js';
import { loadDemo } from '../../src/demo/load.js';
import { demoNetworks } from '../../src/demo/networks.js';
import { idOf } from '../../src/demo/random.js';
import { demoPreviews, demoSandboxes } from '../../src/demo/sandboxes.js';
import { demoVolumes } from '../../src/demo/volumes.js';
import { executionStatuses } from '../../src/resources/jobs/execution.js';
import { statuses } from '../../src/resources/resource.js';
import { createSeal } from '../../src/seal.js';
import { freshDatabase } from '../harness.js';

const end = new Date('2026-11-20T12:00:00.000Z');
const sandboxes = demoSandboxes(mainWorkspace, 42, end);
const previews = demoPreviews(mainWorkspace, sandboxes, end);
const jobs = demoJobs(mainWorkspace, 15, end);
const executions = jobs.flatMap((job, order) => demoExecutions(job, order, end));
const images = demoImages(mainWorkspace, 28, end);

describe('The demo', () => {
  it('is the same every time', () => {
    expect(demoSandboxes(mainWorkspace, 42, end)).toEqual(sandboxes);
    expect(demoImages(mainWorkspace, 28, end)).toEqual(images);
    expect(demoNetworks(mainWorkspace, 3, end)).toEqual(demoNetworks(mainWorkspace, 3, end));
    expect(demoVolumes(mainWorkspace, 20, end)).toEqual(demoVolumes(mainWorkspace, 20, end));
  });

  it('has every status of sandboxes and of executions', () => {
    expect(new Set(sandboxes.map(({ status }) => status))).toEqual(new Set(Object.keys(statuses)));
    expect(new Set(executions.map(({ status }) => status))).toEqual(new Set(Object.keys(executionStatuses)));
  });

  it('has executions whose statistics are those of their tasks', () => {
    for (const { stats, tasks, status, startedAt, completedAt } of executions) {
      const { total, success, failure, cancelled, running } = stats;
      expect(total).toBe(tasks.length);
      expect(success + failure + cancelled + running).toBe(status === 'queued' || status === 'pending' ? 0 : total);
      const failed = tasks.filter(({ conditions }) => conditions.some(({ severity }) => severity === 'Error'));
      expect(failed).toHaveLength(failure);
      expect(startedAt === undefined).toBe(status === 'queued' || status === 'pending');
      expect(completedAt === undefined).toBe(['queued', 'pending', 'running', 'cancelling'].includes(status));
    }
    expect(executions.some(({ spec }) => spec.envOverride !== undefined)).toBe(true);
    expect(executions.some(({ deletedAt }) => deletedAt !== undefined)).toBe(true);
  });

  it('has public and private previews, custom domains, lasting and expired ones', () => {
    expect(new Set(previews.map(({ spec }) => spec.public))).toEqual(new Set([true, false]));
    expect(previews.some(({ spec }) => spec.customDomain !== undefined)).toBe(true);
    expect(previews.some(({ spec }) => spec.expires === undefined)).toBe(true);
    expect(previews.some(({ spec }) => spec.expires !== undefined && spec.expires < end.toISOString())).toBe(true);
    expect(previews.some(({ spec }) => spec.expires !== undefined && spec.expires > end.toISOString())).toBe(true);
    const made = new Map(sandboxes.map(({ id, metadata }) => [id, metadata.createdAt]));
    for (const { sandboxId, metadata } of previews) {
      expect(made.get(sandboxId)?.localeCompare(metadata.createdAt)).toBeLessThanOrEqual(0);
    }
  });

  it('has images of every resource type, with many tags, and shared across accounts', () => {
    expect(new Set(images.map(({ resourceType }) => resourceType))).toEqual(
      new Set(['agents', 'functions', 'jobs', 'sandboxes']),
    );
    expect(Math.max(...images.map(({ tags }) => tags.length))).toBeGreaterThan(30);
    expect(images.some(({ sourceWorkspace }) => sourceWorkspace === 'tidewater')).toBe(true);
    const shares = demoImageShares(mainWorkspace, 6, end);
    expect(new Set(shares.map(({ status }) => status))).toEqual(new Set(['accepted', 'declined', 'pending']));
  });

  it('lies in the past', () => {
    const now = end.toISOString();
    const times = [...sandboxes, ...previews, ...jobs].flatMap(({ metadata, events = [] }) => [
      metadata.createdAt,
      metadata.updatedAt,
      ...events.map(({ time }) => time),
    ]);
    const runs = executions.flatMap(({ createdAt, completedAt = '', deletedAt = '' }) => [
      createdAt,
      completedAt,
      deletedAt,
    ]);
    expect([...times, ...runs].filter((time) => time > now)).toEqual([]);
  });
});

describe('The loaded demo', () => {
  let database: OpenDatabase;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    const fresh = await freshDatabase();
    remove = fresh.remove;
    database = await openDatabase(readConfig(fresh.settings));
    await loadDemo(database.db, createSeal(database.secrets), { end });
  });

  afterAll(async () => {
    await database.close();
    await remove();
  });

  it('has something of every kind in every workspace', async () => {
    const { db } = database;
    for (const { id } of await db.workspace.findMany()) {
      const where = { where: { workspaceId: id } };
      const found = [
        await db.agent.count(where),
        await db.sandbox.count(where),
        await db.sandboxPreview.count(where),
        await db.job.count(where),
        await db.jobExecution.count(where),
        await db.volume.count(where),
        await db.image.count(where),
        await db.imageTag.count(where),
        await db.imageShare.count(where),
        await db.vpc.count(where),
        await db.egressGateway.count(where),
        await db.egressIp.count(where),
      ];
      expect(Math.min(...found)).toBeGreaterThan(0);
    }
  });

  it('has the volumes that agents and sandboxes attach', async () => {
    const { db } = database;
    const [lacking] = await db.$queryRaw<{ count: bigint }[]>`
      SELECT count(*) FROM (
        SELECT json_array_elements("spec"->'volumes') AS v FROM "agent" WHERE "workspace_id" = ${idOf(mainWorkspace)}::uuid
        UNION ALL
        SELECT json_array_elements("spec"->'volumes') FROM "sandbox" WHERE "workspace_id" = ${idOf(mainWorkspace)}::uuid) AS a
      WHERE v->>'type' = 'persistent' AND v->>'name' NOT IN (SELECT "name" FROM "volume")`;
    expect(lacking?.count).toBe(0n);
  });

  it('has regions open to all, to some and to nobody, and all kinds of flags', async () => {
    const regions = await database.db.region.findMany({ include: { accounts: true } });
    expect(regions).toHaveLength(14);
    expect(new Set(regions.map(({ isRestricted, accounts }) => `${isRestricted} ${accounts.length}`))).toEqual(
      new Set(['false 0', 'true 1', 'true 0']),
    );
    for (const flag of ['drivesAvailable', 'egressAvailable', 'mk31Available', 'proxyAvailable'] as const) {
      expect(new Set(regions.map((region) => region[flag]))).toEqual(new Set([true, false]));
    }
  });

  it('stores no secret in the clear', async () => {
    const [leaked] = await database.db.$queryRaw<{ total: bigint }[]>`
      SELECT (SELECT count(*) FROM "sandbox" WHERE "spec"::text ~ '"wh-')
        + (SELECT count(*) FROM "job" WHERE "spec"::text ~ '"led-')
        + (SELECT count(*) FROM "job_execution" WHERE "spec"::text ~ '"led-') AS "total"`;
    expect(leaked?.total).toBe(0n);
  });
});
