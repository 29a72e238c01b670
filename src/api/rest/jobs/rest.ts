import { z } from 'zod';
import { noParameters } from '../input.js';
import { route } from '../route.js';
import type { Route } from '../route.js';
import { resourceName } from '../../../schema/resource.js';
import { execution, executionFromRow } from '../../../resources/jobs/execution.js';
import { getExecution } from '../../../resources/jobs/executions.js';

export const jobRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/jobs/{jobId}/executions/{executionId}',
    operation: 'GetJobExecution',
    summary: 'Returns an execution of a job, with its status, statistics, tasks and timestamps.',
    scope: 'admin',
    isInWorkspace: true,
    parameters: z.object({
      jobId: resourceName.meta({ description: 'Name of the job.' }),
      executionId: z.string().meta({ description: 'ID of the execution (metadata.id).' }),
    }),
    query: noParameters,
    body: execution,
    example: {
      metadata: {
        id: '0198a5f0-3c1e-7d52-9b1f-6f1f6d9c2a11',
        job: 'tariff-import',
        workspace: 'meridian-production',
        cluster: 'eu-frankfurt-1-a',
        createdAt: '2026-11-20T02:00:00.000Z',
        startedAt: '2026-11-20T02:00:04.000Z',
        updatedAt: '2026-11-20T02:11:00.000Z',
        completedAt: '2026-11-20T02:11:00.000Z',
      },
      spec: { envOverride: '{"TARIFF_YEAR":"***"}', memoryOverride: 4096, parallelism: 2, timeout: 3600, tasks: [] },
      stats: { cancelled: 0, failure: 0, retried: 0, running: 0, success: 0, total: 0 },
      status: 'succeeded',
      tasks: [],
    },
    errors: [404],
    answer: async ({ ctx, parameters }) => {
      const { jobId, executionId } = parameters;
      return { body: executionFromRow(await getExecution(ctx, { job: jobId, id: executionId })) };
    },
  }),
];
