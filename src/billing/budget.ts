// The terms of a budget, its periods, forecast and crossed thresholds. Pure.
import { z } from 'zod';
import { costDigits, decimalFromUnits, divideHalfEven } from '../metering/amounts.js';
import { bucketOf, startOf } from '../metering/window.js';

export const budgetPeriods = {
  monthly: 'A calendar month in UTC. Late usage counts in the month in which it occurred.',
  rolling: 'A rolling period of the last `days` days, to the hour.',
} as const;

export type BudgetPeriod = keyof typeof budgetPeriods;

export const budgetMeasures = {
  actual: 'Cost of the period so far.',
  forecast: 'Cost of the period so far, plus a forecast for its remainder: the current weekly cost, without credits.',
} as const;

export type BudgetMeasure = keyof typeof budgetMeasures;

export const budgetActions = {
  notify: 'Only records that thresholds are reached.',
  stop: 'Also refuses new executions and deployments while the actual cost is at or over the amount. What runs goes on.',
} as const;

export type BudgetAction = keyof typeof budgetActions;

export interface BudgetThreshold {
  /** Percent of the amount. */
  percent: number;
  measure: BudgetMeasure;
}

/** The filters of account metrics, by their parameter names. */
export const budgetFilterNames = [
  'workspace',
  'resourceType',
  'resourceName',
  'resourceUuid',
  'billingDimension',
] as const;

export type BudgetFilters = z.output<typeof storedFilters>;

export interface BudgetTerms {
  /** Nano-dollars. */
  amount: bigint;
  period: BudgetPeriod;
  /** The length of a rolling period; null for a monthly budget. */
  days: number | null;
  filters: BudgetFilters;
  thresholds: BudgetThreshold[];
  /** What happens when the cost reaches the amount. */
  action: BudgetAction;
}

const storedFilters = z.object({
  workspace: z.string().optional(),
  resourceType: z.string().optional(),
  resourceName: z.string().optional(),
  resourceUuid: z.string().optional(),
  billingDimension: z.string().optional(),
  labels: z
    .array(z.object({ key: z.string(), in: z.array(z.string()).optional(), isSet: z.boolean().optional() }))
    .optional(),
});

/** The columns of a budget whose types the database does not know. */
export const storedTerms = z.object({
  period: z.enum(['monthly', 'rolling']),
  filters: storedFilters,
  thresholds: z.array(z.object({ percent: z.int(), measure: z.enum(['actual', 'forecast']) })),
  action: z.enum(['notify', 'stop']),
});

/** In place of the number of the last stored check, if the budget was updated since. */
export const updatedLook = -1;

/** The number of past months checked for usage that arrived late. */
const lateMonthsMax = 12;

const weekHours = 7 * 24;

/** Whole hours since 1970; the end is excluded. */
export interface Hours {
  from: number;
  to: number;
}

/** Returns the months in which a budget is checked, from its creation on, limited to recent months. */
export function budgetMonths(madeHour: number, nowHour: number): { first: number; last: number } {
  const last = bucketOf('monthly', nowHour);
  return { first: Math.max(Math.min(bucketOf('monthly', madeHour), last), last - lateMonthsMax), last };
}

/** The last seven days, up to and including the current hour. The forecast is based on them. */
export function lastWeek(nowHour: number): Hours {
  return { from: nowHour + 1 - weekHours, to: nowHour + 1 };
}

/** The hours of a rolling period. */
export function rollingHours(days: number, nowHour: number): Hours {
  return { from: nowHour + 1 - days * 24, to: nowHour + 1 };
}

/** Returns the forecast cost of a month or rolling period, if usage continues as in the last week (nano-dollars). */
export function forecastMonth(actual: bigint, week: bigint, nowHour: number): bigint {
  const hoursLeft = startOf('monthly', bucketOf('monthly', nowHour) + 1) - nowHour - 1;
  return actual + divideHalfEven(week * BigInt(hoursLeft), BigInt(weekHours));
}

export function forecastDays(week: bigint, days: number): bigint {
  return divideHalfEven(week * BigInt(days * 24), BigInt(weekHours));
}

/** The cost of one period of a budget. */
export interface PeriodCost {
  /** The month, such as `2026-11`; empty for a rolling period. */
  period: string;
  actual: bigint;
  /** Only for the current period. */
  forecast?: bigint | undefined;
}

export interface Crossing extends BudgetThreshold {
  period: string;
  /** The cost at the crossing (nano-dollars). */
  cost: bigint;
}

/** Returns the thresholds that the costs have crossed. */
export function crossingsOf({ amount, thresholds }: BudgetTerms, costs: readonly PeriodCost[]): Crossing[] {
  return costs.flatMap(({ period, ...measured }) =>
    thresholds.flatMap(({ percent, measure }) => {
      const cost = measured[measure];
      return cost !== undefined && cost * 100n >= amount * BigInt(percent) ? [{ period, percent, measure, cost }] : [];
    }),
  );
}

/** Formats months since January 1970, such as `2026-11`. */
export function monthText(month: number): string {
  return new Date(startOf('monthly', month) * 3_600_000).toISOString().slice(0, 7);
}

/** Formats nano-dollars as a decimal of USD. */
export function usdText(nano: bigint): string {
  return decimalFromUnits(nano, costDigits);
}
