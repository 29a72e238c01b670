import type { AccessibleAccount, AccessibleWorkspace } from '../../auth/caller.js';
import { getWorkspaceCost } from '../../billing/cost.js';
import { getMetrics } from '../../billing/metrics.js';
import { readCreditDimensions } from '../../billing/read-credits.js';
import { costText } from '../../billing/report.js';
import { divideHalfEven } from '../../metering/amounts.js';
import type { UsageContext } from '../../metering/usage-memory.js';

/** The cost in the current month (UTC); amounts are USD as decimals. */
export interface CostOutlook {
  monthStart: Date;
  monthEnd: Date;
  soFar: string;
  /**
   * The projected cost of the month, if each remaining hour costs the average of the hours so far; rounded half-even to
   * the nano-dollar. Credits count once: no further credits are projected.
   */
  project: () => Promise<string>;
}

/** The cost outlook of a workspace. @throws 403 like the cost of a workspace. */
export function getCostOutlook(ctx: UsageContext, workspace: AccessibleWorkspace): Promise<CostOutlook> {
  return outlookOf(ctx, async (window, without) => (await getWorkspaceCost(ctx, workspace, window, without)).total);
}

/** The cost outlook of the caller's part of an account. @throws 403 like account metrics. */
export function getAccountCostOutlook(ctx: UsageContext, { id }: AccessibleAccount): Promise<CostOutlook> {
  const paging = { order: 'key', direction: 'forward', limit: 1, cursor: undefined } as const;
  return outlookOf(ctx, async (parameters, withoutDimensions) => {
    const query = { parameters, paging, cursorName: 'after', withoutDimensions };
    const { total } = await getMetrics(ctx, id, () => query);
    return total;
  });
}

interface MonthWindow {
  startTime: string;
  endTime: string;
  resolution: string;
}

async function outlookOf(
  ctx: UsageContext,
  readTotal: (window: MonthWindow, withoutDimensions: readonly string[]) => Promise<{ cost: bigint }>,
): Promise<CostOutlook> {
  const now = ctx.now();
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const monthStart = new Date(Date.UTC(year, month));
  const monthEnd = new Date(Date.UTC(year, month + 1));
  // The first millisecond of a month has no elapsed time, and a window must not be empty.
  const until = new Date(Math.max(now.getTime(), monthStart.getTime() + 1));
  const window = { startTime: monthStart.toISOString(), endTime: until.toISOString(), resolution: 'monthly' };
  const total = await readTotal(window, []);
  const elapsed = BigInt(until.getTime() - monthStart.getTime());
  const monthLength = BigInt(monthEnd.getTime() - monthStart.getTime());
  const project = async () => {
    const credits = await readCreditDimensions(ctx);
    const { cost } = credits.length === 0 ? total : await readTotal(window, credits);
    return costText({ cost: total.cost - cost + divideHalfEven(cost * monthLength, elapsed) });
  };
  return { monthStart, monthEnd, soFar: costText(total), project };
}
