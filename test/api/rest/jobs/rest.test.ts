import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, frozenNow, graphql, rest, useApp } from '../../../harness.js';
import { addPlatform } from '../../../platform.js';
import type { Platform } from '../../../platform.js';

const running = useApp();
let key: string;
let platform: Platform;
const now = frozenNow.toISOString();

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  platform = await addPlatform(app, tenant.workspaces['main'] ?? '', 'one');
});

const task = {
  metadata: { name: 'task-0', createdAt: now, startedAt: now },
  spec: { maxRetries: 1, timeout: '5m' },
  conditions: [{ type: 'Completed', state: 'False', reason: 'NonZeroExit', message: 'exit code 1' }],
};

describe('GET /v0/jobs/{jobId}/executions/{executionId}', () => {
  it('returns every field, and only the names of overridden variables', async () => {
    const { status, body } = await rest(running.app, `/jobs/one-job/executions/${platform.JobExecution}`, { key });
    expect(status).toBe(200);
    expect(body).toEqual({
      metadata: {
        id: platform.JobExecution,
        job: 'one-job',
        workspace: 'main',
        cluster: 'cluster-a',
        createdAt: now,
        updatedAt: now,
        startedAt: now,
      },
      spec: { envOverride: '{"PASSWORD":"***"}', memoryOverride: 2048, parallelism: 2, timeout: 600, tasks: [task] },
      stats: { cancelled: 0, failure: 1, retried: 1, running: 0, success: 0, total: 1 },
      status: 'failed',
      tasks: [task],
    });
  });

  it('stores the values of overridden variables encrypted', async () => {
    const row = await running.app.services.db.jobExecution.findUniqueOrThrow({ where: { id: platform.JobExecution } });
    expect(JSON.stringify(row)).toContain('PASSWORD');
    expect(JSON.stringify(row)).not.toContain('do not tell');
  });

  it('returns the same through GraphQL', async () => {
    const query = `{ job(name: "one-job") { executions { totalCount nodes {
      status metadata { id jobName } spec { envOverride timeout } stats { total failure } tasks { conditions { reason } }
    } } } }`;
    const { body } = await graphql(running.app, key, query);
    expect(body.data.job.executions).toEqual({
      totalCount: 1,
      nodes: [
        {
          status: 'FAILED',
          metadata: { id: platform.JobExecution, jobName: 'one-job' },
          spec: { envOverride: '{"PASSWORD":"***"}', timeout: 600 },
          stats: { total: 1, failure: 1 },
          tasks: [{ conditions: [{ reason: 'NonZeroExit' }] }],
        },
      ],
    });
  });
});
