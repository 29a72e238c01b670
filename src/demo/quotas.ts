// The quotas of the demo: of the company's account, of a region, and of the workspace for research, which is near its limit.
import { setQuotas } from '../accounts/quota-changes.js';
import type { LimitInput } from '../accounts/quota.js';
import { requestAt } from './calls.js';
import type { Loading } from './calls.js';
import { demoOwner, platformAccount } from './company.js';
import { daysBefore, workTime } from './times.js';

interface DemoQuota {
  workspace?: string;
  region?: string;
  limits: LimitInput[];
}

const quotas: readonly DemoQuota[] = [
  {
    limits: [
      { resource: 'SANDBOX', limit: 200 },
      { resource: 'JOB', limit: 60 },
      { resource: 'VOLUME', limit: 120 },
      { resource: 'VPC', limit: 10 },
      { resource: 'EGRESS_GATEWAY', limit: 20 },
      { resource: 'IMAGE', limit: 250 },
      { resource: 'CONCURRENT_EXECUTIONS', limit: 500 },
    ],
  },
  {
    region: 'eu-frankfurt-1',
    limits: [
      { resource: 'SANDBOX', limit: 40 },
      { resource: 'VOLUME', limit: 40 },
    ],
  },
  {
    workspace: 'meridian-research',
    limits: [
      { resource: 'AGENT', limit: 10 },
      { resource: 'SANDBOX', limit: 10 },
      { resource: 'JOB', limit: 10 },
    ],
  },
];

const setDaysAgo = 90;

/** Sets the quotas, after everything that they count. */
export async function setDemoQuotas(loading: Loading): Promise<void> {
  const at = workTime(daysBefore(loading.end, setDaysAgo), 'quotas');
  for (const quota of quotas) {
    await setQuotas(requestAt(loading, demoOwner, at), { account: platformAccount, ...quota });
  }
}
