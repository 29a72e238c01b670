import { builder } from '../builder.js';
import { changeArguments, versionArgument } from '../change-arguments.js';
import { keepsAnswer, resultOf, resultType } from '../mutation.js';
import { inputFields } from '../shape-input.js';
import type { Found } from '../../../store/read/found.js';
import type { ExecutionRow } from '../../../resources/jobs/execution.js';
import { cancelExecution, deleteExecution, runJob } from '../../../resources/jobs/execution-changes.js';
import { executionRequest } from '../../../resources/jobs/execution-request.js';
import { ExecutionType } from './graphql-executions.js';

interface ExecutionPayload {
  jobExecution: Found<ExecutionRow>;
}

const RunResult = resultType<ExecutionPayload>('RunJob', 'What runJob made', (t) => ({
  jobExecution: t.expose('jobExecution', { type: ExecutionType, nullable: false, description: 'It is queued.' }),
}));

const RunInput = builder.inputType('RunJobInput', {
  description: 'Which job to run, its tasks, and what this execution overrides of the job.',
  fields: (t) => ({
    ...inputFields(t, executionRequest),
    ...changeArguments(t),
    jobName: t.string({ required: true, description: 'Name of the job.' }),
  }),
});

builder.mutationField('runJob', (t) =>
  t.field({
    type: RunResult,
    nullable: false,
    description: 'Makes an execution of a job. Needs the scope jobs:update.',
    extensions: keepsAnswer('jobExecution'),
    args: { input: t.arg({ type: RunInput, required: true, description: 'Which job, and how.' }) },
    resolve: (_root, { input: { workspace, validateOnly, jobName: job, ...asked } }, ctx) =>
      resultOf(async () => ({ jobExecution: await runJob(ctx, { workspace, validateOnly, job, asked }) })),
  }),
);

const CancelResult = resultType<ExecutionPayload>('CancelJobExecution', 'What cancelJobExecution stopped', (t) => ({
  jobExecution: t.expose('jobExecution', {
    type: ExecutionType,
    nullable: false,
    description: 'As it now is: cancelled, or cancelling where something has to stop first.',
  }),
}));

const CancelInput = builder.inputType('CancelJobExecutionInput', {
  description: 'Which execution to cancel.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    jobName: t.string({ required: true, description: 'Name of the job.' }),
    executionId: t.string({ required: true, description: 'metadata.id of the execution.' }),
  }),
});

builder.mutationField('cancelJobExecution', (t) =>
  t.field({
    type: CancelResult,
    nullable: false,
    description: 'Stops an execution that is not over. Needs the scope jobs:update.',
    extensions: keepsAnswer('jobExecution'),
    args: { input: t.arg({ type: CancelInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { jobName: job, executionId: execution, ...input } }, ctx) =>
      resultOf(async () => ({ jobExecution: await cancelExecution(ctx, { ...input, job, execution }) })),
  }),
);

const DeleteResult = resultType<ExecutionPayload>('DeleteJobExecution', 'What deleteJobExecution removed', (t) => ({
  jobExecution: t.expose('jobExecution', {
    type: ExecutionType,
    nullable: false,
    description: 'As it was, with the time of its deletion.',
  }),
}));

const DeleteInput = builder.inputType('DeleteJobExecutionInput', {
  description: 'Which execution to delete.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    jobName: t.string({ required: true, description: 'Name of the job.' }),
    executionId: t.string({ required: true, description: 'metadata.id of the execution.' }),
  }),
});

builder.mutationField('deleteJobExecution', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    description: 'Deletes an execution that is over. Needs the scope jobs:update.',
    extensions: keepsAnswer('jobExecution'),
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { jobName: job, executionId: execution, ...input } }, ctx) =>
      resultOf(async () => ({ jobExecution: await deleteExecution(ctx, { ...input, job, execution }) })),
  }),
);
