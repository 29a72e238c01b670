import { z } from 'zod';
import { defineTool } from '../tool.js';
import { idempotencyInput, mapIn, nameInput, payloadIn, withoutEmpty } from '../tool-result.js';

export const runJob = defineTool({
  name: 'run_job',
  title: 'Run a job',
  description:
    'Starts an execution of a job, and returns its id. Follow it with get_resource, or list_resources with the kind ' +
    'JobExecution.',
  input: z.strictObject({
    workspace: nameInput.describe('Name of the workspace.'),
    job: nameInput.describe('Name of the job.'),
    envOverride: z.record(z.string(), z.string()).optional().describe('Environment variables of this execution.'),
    memoryOverride: z.int().optional().describe('Memory of this execution (MB).'),
    parallelism: z.int().optional().describe('Maximum number of tasks that run at a time.'),
    timeout: z.int().optional().describe('Time limit (seconds).'),
    dryRun: z.boolean().default(false).describe('Whether to only check the input (default: false).'),
    idempotencyKey: idempotencyInput.describe(
      'Any unique text. A repeated call with the same key starts no second execution.',
    ),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  run: async (call, { job, dryRun, idempotencyKey, ...input }) => {
    const variables = { input: { ...input, name: job, validateOnly: dryRun } };
    const { data } = await call.execute('run-job', { variables, idempotencyKey });
    const { jobExecution } = payloadIn(data['result']);
    const { metadata, ...execution } = mapIn(jobExecution);
    return { dryRun, execution: withoutEmpty({ ...execution, ...mapIn(metadata) }) };
  },
});
