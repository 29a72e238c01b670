import { z } from 'zod';
import { noParameters } from '../../rest/input.js';
import { route } from '../../rest/route.js';
import type { Route } from '../../rest/route.js';
import { resourceName } from '../resource.js';
import { execution } from './execution.js';
import { getExecution } from './executions.js';

export const jobRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/jobs/{jobId}/executions/{executionId}',
    operation: 'GetJobExecution',
    summary: 'One execution of a job, with its status, statistics, tasks and times.',
    scope: 'admin',
    isInWorkspace: true,
    parameters: z.object({
      jobId: resourceName.meta({ description: 'Name of the job.' }),
      executionId: z.string().meta({ description: 'metadata.id of the execution.' }),
    }),
    query: noParameters,
    body: execution,
    errors: [404],
    answer: async ({ ctx, parameters }) => {
      const { jobId, executionId } = parameters;
      return { body: (await getExecution(ctx, { job: jobId, id: executionId })).resource };
    },
  }),
];
