import { workspaceResources } from '../authorized-list.js';
import { specifiedKind } from '../resource-row.js';
import { jobFromRow } from './job.js';

export const {
  list: listJobs,
  get: getJob,
  find: findJobs,
} = workspaceResources(specifiedKind('job', 'job', jobFromRow), { list: 'jobs:list', get: 'jobs:get' });
