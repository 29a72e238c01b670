// The quotas of the demo: of the company's account, of a region, and of the workspace for research, which is near its limit.
import type { QuotaLimits } from '../accounts/quota.js';
import { noteReached, quotaChange } from '../accounts/quota-changes.js';
import type { ChangeRow } from '../changes/change-rows.js';
import { changeRowBy } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { readLimits } from '../quotas/limits.js';
import { requestBy } from './actors.js';
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

/** Inserts the quotas of an account, after everything that they count. @returns their changes */
export async function loadQuotas(
  tx: Prisma.TransactionClient,
  { name: account }: DemoAccount,
  end: Date,
): Promise<ChangeRow[]> {
  if (account !== platformAccount) return [];
  const accountId = idOf(account);
  const updatedAt = workTime(new Date(end.getTime() - setDaysAgo * dayMs), 'quotas');
  const rows = quotas.map(({ workspace, region, limits }) => {
    const [subject, name] =
      workspace !== undefined
        ? (['workspace', workspace] as const)
        : region !== undefined
          ? (['region', region] as const)
          : (['account', account] as const);
    const key = subject === 'region' ? `region ${accountId} ${name}` : `${subject} ${idOf(name)}`;
    const workspaceId = workspace === undefined ? null : idOf(workspace);
    return { id: idOf(`quota ${key}`), key, subject, name, workspaceId, region: region ?? null, limits };
  });
  await tx.quota.createMany({
    data: rows.map(({ id, key, workspaceId, region, limits }) => ({
      id,
      subject: key,
      accountId,
      workspaceId,
      region,
      limits,
      updatedAt,
      updatedBy: demoOwner,
    })),
  });
  const $text = async (statement: Prisma.Sql) => {
    const [row = {}] = await tx.$queryRaw<Record<string, string>[]>(statement);
    return Object.values(row).join('');
  };
  await noteReached(tx, [], await readLimits({ $text }, Prisma.sql`a."id" = ${accountId}::uuid`));
  return rows.map(({ id, limits, ...target }) => {
    const request = requestBy(demoOwner, updatedAt, `quotas of ${target.subject} ${target.name}`);
    return changeRowBy(request, undefined, quotaChange(target, { id, version: 1, limits }, {}));
  });
}
