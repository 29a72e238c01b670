import { builder } from '../builder.js';
import { changeArguments, versionArgument } from '../change-arguments.js';
import { keepsAnswer, resultOf, resultType } from '../mutation.js';
import { inputType, updateInputType } from '../shape-input.js';
import type { Found } from '../../../store/read/found.js';
import { metadata } from '../../../schema/resource.js';
import { JobType } from './graphql.js';
import { jobSpec } from '../../../resources/jobs/job.js';
import type { JobRow } from '../../../resources/jobs/job.js';
import { createJob, deleteJob, updateJob } from '../../../resources/jobs/job-changes.js';

interface JobPayload {
  job: Found<JobRow>;
}

const CreateResult = resultType<JobPayload>('CreateJob', 'What createJob made', (t) => ({
  job: t.expose('job', { type: JobType, nullable: false }),
}));

const CreateInput = builder.inputType('CreateJobInput', {
  description: 'The job to make.',
  fields: (t) => ({
    ...changeArguments(t),
    metadata: t.field({ type: inputType(metadata), required: true, description: 'What it is called.' }),
    spec: t.field({ type: inputType(jobSpec), description: 'What it is meant to be.' }),
  }),
});

builder.mutationField('createJob', (t) =>
  t.field({
    type: CreateResult,
    nullable: false,
    description: 'Makes a job. Needs the scope jobs:create.',
    extensions: keepsAnswer('job'),
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The job.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ job: await createJob(ctx, input) })),
  }),
);

const UpdateResult = resultType<JobPayload>('UpdateJob', 'What updateJob changed', (t) => ({
  job: t.expose('job', { type: JobType, nullable: false, description: 'As it now is.' }),
}));

const UpdateInput = builder.inputType('UpdateJobInput', {
  description: 'Which job to change, and what of it. What is absent stays, null removes, lists are replaced whole.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    name: t.string({ required: true, description: 'Name of the job.' }),
    metadata: t.field({ type: updateInputType(metadata), description: 'What it is called.' }),
    spec: t.field({ type: updateInputType(jobSpec), description: 'What it is meant to be.' }),
  }),
});

builder.mutationField('updateJob', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    description: 'Changes a job. Needs the scope jobs:update.',
    extensions: keepsAnswer('job'),
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'Which one, and what of it.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ job: await updateJob(ctx, input) })),
  }),
);

const DeleteResult = resultType<JobPayload>('DeleteJob', 'What deleteJob removed', (t) => ({
  job: t.expose('job', { type: JobType, nullable: false, description: 'As it was.' }),
}));

const DeleteInput = builder.inputType('DeleteJobInput', {
  description: 'Which job to delete.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    name: t.string({ required: true, description: 'Name of the job.' }),
  }),
});

builder.mutationField('deleteJob', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    description: 'Deletes a job with its executions. Needs the scope jobs:delete.',
    extensions: keepsAnswer('job'),
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ job: await deleteJob(ctx, input) })),
  }),
);
