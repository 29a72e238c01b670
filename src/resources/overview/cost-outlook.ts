import type { ReachableAccount, ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../access/context.js';
import { getWorkspaceCost } from '../../metrics/cost.js';
import { getMetrics } from '../../metrics/metrics.js';
import { costText } from '../../metrics/report.js';

/** What something costs in the running month, in UTC; amounts are USD as decimals. */
export interface CostOutlook {
  monthStart: Date;
  monthEnd: Date;
  soFar: string;
  /** What the month will have cost if the rest of it costs as much an hour as its part so far; to the nano-dollar. */
  projected: string;
}

/** What a workspace costs. @throws 403 like the cost of a workspace. */
export function getCostOutlook(ctx: RequestContext, workspace: ReachableWorkspace): Promise<CostOutlook> {
  return outlookOf(ctx, async (window) => (await getWorkspaceCost(ctx, workspace, window)).total);
}

/** What the caller sees of an account costs. @throws 403 like account metrics. */
export function getAccountCostOutlook(ctx: RequestContext, { id }: ReachableAccount): Promise<CostOutlook> {
  const paging = { order: 'key', direction: 'forward', limit: 1, cursor: undefined } as const;
  return outlookOf(ctx, async (parameters) => {
    const { total } = await getMetrics(ctx, id, () => ({ parameters, paging, cursorName: 'after' }));
    return total;
  });
}

interface MonthWindow {
  startTime: string;
  endTime: string;
  resolution: string;
}

async function outlookOf(
  ctx: RequestContext,
  readTotal: (window: MonthWindow) => Promise<{ cost: bigint }>,
): Promise<CostOutlook> {
  const now = ctx.now();
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const monthStart = new Date(Date.UTC(year, month));
  const monthEnd = new Date(Date.UTC(year, month + 1));
  // In the first millisecond of a month there is nothing behind it, and a window needs something.
  const until = new Date(Math.max(now.getTime(), monthStart.getTime() + 1));
  const window = { startTime: monthStart.toISOString(), endTime: until.toISOString(), resolution: 'monthly' };
  const total = await readTotal(window);
  const elapsed = BigInt(until.getTime() - monthStart.getTime());
  const whole = BigInt(monthEnd.getTime() - monthStart.getTime());
  const cost = (total.cost * whole + elapsed / 2n) / elapsed;
  return { monthStart, monthEnd, soFar: costText(total), projected: costText({ cost }) };
}
