// The quotas of the demo: of the company's account, of a region, and of the workspace for research, which is near its limit.
import type { QuotaLimits } from '../accounts/quota.js';
import type { Prisma } from '../database/client/client.js';
import { demoOwner, platformAccount } from './company.js';
import type { DemoAccount } from './company.js';
import { idOf } from './random.js';
import { dayMs, workTime } from './times.js';

interface DemoQuota {
  workspace?: string;
  region?: string;
  limits: QuotaLimits;
}

const quotas: readonly DemoQuota[] = [
  {
    limits: { SANDBOX: 200, JOB: 60, VOLUME: 120, VPC: 10, EGRESS_GATEWAY: 20, IMAGE: 250, CONCURRENT_EXECUTIONS: 500 },
  },
  { region: 'eu-frankfurt-1', limits: { SANDBOX: 40, VOLUME: 40 } },
  { workspace: 'meridian-research', limits: { AGENT: 10, SANDBOX: 10, JOB: 10 } },
];

const setDaysAgo = 90;

/** Inserts the quotas of an account, after everything that they count. */
export async function loadQuotas(
  tx: Prisma.TransactionClient,
  { name: account }: DemoAccount,
  end: Date,
): Promise<void> {
  if (account !== platformAccount) return;
  const accountId = idOf(account);
  const updatedAt = workTime(new Date(end.getTime() - setDaysAgo * dayMs), 'quotas');
  await tx.quota.createMany({
    data: quotas.map(({ workspace, region, limits }) => ({
      subject:
        workspace !== undefined
          ? `workspace ${idOf(workspace)}`
          : region !== undefined
            ? `region ${accountId} ${region}`
            : `account ${accountId}`,
      accountId,
      workspaceId: workspace === undefined ? null : idOf(workspace),
      region: region ?? null,
      limits,
      updatedAt,
      updatedBy: demoOwner,
    })),
  });
  await tx.$executeRaw`SELECT keep_quota_levels(${accountId}::uuid)`;
}
