import { beforeAll, describe, expect, it } from 'vitest';
import { expireExecutions } from '../../../src/resources/jobs/expire-executions.js';
import { createKey, createTenant, graphql, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';
import { addRegions, historyOf, mutate } from '../mutations.js';

const running = useApp();
let tenant: Tenant;
let key: string;
const dayMs = 86_400_000;
const days = 90;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  await addRegions(app);
  await mutate(app, key, 'createJob', '__typename', {
    workspace: 'main',
    metadata: { name: 'import' },
    spec: { runtime: { memory: 512 } },
  });
});

/** Runs the job and cancels it. @returns the id of the execution, which ended some days before now */
async function ended(daysAgo: number): Promise<string> {
  const { app } = running;
  const { now } = app.clock;
  app.clock.now = new Date(now.getTime() - daysAgo * dayMs);
  const id = await run();
  await mutate(app, key, 'cancelJobExecution', '__typename', { id });
  app.clock.now = now;
  return id;
}

async function run(): Promise<string> {
  const input = { workspace: 'main', name: 'import', envOverride: { TOKEN: 'overridden' } };
  const { jobExecution } = await mutate(running.app, key, 'runJob', 'jobExecution { id }', input);
  return jobExecution.id;
}

async function existing(): Promise<string[]> {
  const query = `{ job(workspace: "main", name: "import") { executions(first: 100) { nodes { id } } } }`;
  const { body } = await graphql(running.app, key, query);
  return body.data.job.executions.nodes.map(({ id }: { id: string }) => id);
}

const expire = () => expireExecutions(running.app.services.db, running.app.clock.now, days);
const deletions = async () => (await historyOf(running.app, tenant)).filter(({ verb }) => verb === 'deleted');

describe('Executions', () => {
  it('are deleted when their retention is over, with a record that has them as they were', async () => {
    const waiting = await run();
    const recent = await ended(days - 1);
    await ended(days + 1);
    expect(await expire()).toBe(1);
    expect((await existing()).toSorted()).toEqual([waiting, recent].toSorted());
    const [deletion, ...more] = await deletions();
    expect(more).toEqual([]);
    expect(deletion).toMatchObject({
      kind: 'JOB_EXECUTION',
      actorKind: 'system',
      type: 'expiry',
      message: `Expired: it ended ${days} days ago`,
      before: {
        status: 'cancelled',
        metadata: { job: 'import', workspace: 'main', expiredAt: running.app.clock.now.toISOString() },
      },
    });
    expect(JSON.stringify(deletion?.before)).not.toContain('overridden');
    expect(await expire()).toBe(0);
  });

  it('are deleted and recorded once, also by several processes, and count for quotas no longer', async () => {
    const { db } = running.app.services;
    const counted = async () => (await existing()).length;
    const [before, recorded] = [await counted(), (await deletions()).length];
    const id = await ended(days + 1);
    const row = await db.jobExecution.findFirstOrThrow({ orderBy: { id: 'desc' } });
    const copies = Array.from({ length: 250 }, (_, index) => index);
    await db.jobExecution.createMany({
      data: copies.map(() => ({
        workspaceId: row.workspaceId,
        jobId: row.jobId,
        status: 'succeeded' as const,
        spec: {},
        stats: { total: 0, success: 0, failure: 0, cancelled: 0, running: 0, retried: 0 },
        tasks: [],
        completedAt: new Date(running.app.clock.now.getTime() - (days + 2) * dayMs),
      })),
    });
    const numbers = await Promise.all([expire(), expire(), expire()]);
    expect(numbers.reduce((sum, each) => sum + each, 0)).toBe(copies.length + 1);
    expect(await existing()).not.toContain(id);
    expect(await counted()).toBe(before);
    expect((await deletions()).length - recorded).toBe(copies.length + 1);
  });
});
