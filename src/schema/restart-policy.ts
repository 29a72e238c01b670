import { restartPolicies } from '../lifecycle/restart-policy.js';
import { oneOf } from './values.js';

/** The field `restartPolicy` of workloads; absent is `never`. */
export const restartPolicy = oneOf(restartPolicies).meta({
  id: 'RestartPolicy',
  description: 'When the platform deploys the workload again without a request (default: never).',
});
