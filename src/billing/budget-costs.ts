import type { Statements } from '../database/transaction.js';
import { Reads } from '../database/reads.js';
import { budgetMonths, forecastDays, forecastMonth, lastWeek, monthText, rollingHours } from './budget.js';
import type { BudgetFilters, BudgetTerms, Hours, PeriodCost } from './budget.js';
import { metricsQueryFromParameters } from './metrics-query.js';
import type { MetricsQuery } from './metrics-query.js';
import { readSums } from './read-sums.js';
import { addRows, groupsFromSums, rowsOfSums } from './report.js';
import { splitWindow, startOf } from '../metering/window.js';
import type { Resolution } from '../metering/window.js';
import type { UsageMemory } from '../metering/usage-memory.js';

/** The data needed to check a budget: its terms, its account and its creation time. */
export interface BudgetToCheck extends BudgetTerms {
  accountId: string;
  madeHour: number;
  nowHour: number;
}

/**
 * Returns the exact cost of each period of a budget, including usage that arrived just now or late.
 *
 * @param credits credit dimensions, which the forecast leaves out.
 */
export async function readBudgetCosts(
  db: Statements,
  usageMemory: UsageMemory,
  budget: BudgetToCheck,
  credits: readonly string[],
  now: () => Date,
): Promise<PeriodCost[]> {
  const { nowHour, days, period } = budget;
  const week = await sumOf(db, usageMemory, { ...budget, withoutDimensions: credits }, lastWeek(nowHour), now);
  if (period === 'rolling' && days !== null) {
    const actual = await sumOf(db, usageMemory, budget, rollingHours(days, nowHour), now);
    return [{ period: '', actual, forecast: forecastDays(week, days) }];
  }
  const { first, last } = budgetMonths(budget.madeHour, nowHour);
  const months = { from: startOf('monthly', first), to: startOf('monthly', last + 1) };
  const costs = await bucketsOf(db, usageMemory, budget, months, 'monthly', now);
  return Array.from({ length: last - first + 1 }, (_, index): PeriodCost => {
    const actual = costs.get(index) ?? 0n;
    const isNow = first + index === last;
    return {
      period: monthText(first + index),
      actual,
      forecast: isNow ? forecastMonth(actual, week, nowHour) : undefined,
    };
  });
}

/** The account and the filters of the usage to add up. */
interface Summed extends Pick<BudgetToCheck, 'accountId' | 'filters'> {
  withoutDimensions?: readonly string[];
}

async function sumOf(
  db: Statements,
  usageMemory: UsageMemory,
  budget: Summed,
  hours: Hours,
  now: () => Date,
): Promise<bigint> {
  const costs = await bucketsOf(db, usageMemory, budget, hours, 'monthly', now);
  return [...costs.values()].reduce((sum, cost) => sum + cost, 0n);
}

const grouping = { groupBy: [], enriched: [] };
const onePage = { order: 'key', direction: 'forward', limit: 1, after: undefined } as const;

/** Returns costs by the index of the bucket, from 0. */
async function bucketsOf(
  db: Statements,
  usageMemory: UsageMemory,
  { accountId, filters, withoutDimensions = [] }: Summed,
  hours: Hours,
  resolution: Resolution,
  now: () => Date,
): Promise<Map<number, bigint>> {
  const query = queryOf(filters, hours, resolution);
  const pieces = splitWindow(query.window, resolution);
  const narrowing = { filters: query.filters, labels: query.labels, withoutDimensions, workspaces: undefined };
  const scope = { accountId, ...narrowing, asOf: undefined, ...pieces };
  const sums = await readSums({ db, reads: new Reads(db), usageMemory }, scope, grouping, onePage, now);
  const groups = groupsFromSums(sums, grouping);
  addRows(query, groups, rowsOfSums(sums));
  return new Map(Array.from(groups[0]?.buckets ?? [], ([order, { cost }]) => [order, BigInt(cost)]));
}

function queryOf(filters: BudgetFilters, { from, to }: Hours, resolution: Resolution): MetricsQuery {
  const text = (hour: number) => new Date(hour * 3_600_000).toISOString();
  const window = { startTime: text(from), endTime: text(to), resolution };
  return metricsQueryFromParameters({ ...window, ...filters }, { ...onePage, cursor: undefined });
}
