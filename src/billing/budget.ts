// What a budget is, and what of it has been crossed. Pure.
import { z } from 'zod';
import { costDigits, decimalFromUnits } from '../metering/amounts.js';
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

export interface BudgetThreshold {
  /** Of the amount. */
  percent: number;
  of: BudgetMeasure;
}

/** The filters of account metrics, by the names of their parameters. */
export const budgetFilterNames = [
  'workspace',
  'resourceType',
  'resourceName',
  'resourceUuid',
  'billingDimension',
] as const;

export type BudgetFilters = Partial<Record<(typeof budgetFilterNames)[number], string>>;

export interface BudgetTerms {
  /** Nano-dollars. */
  amount: bigint;
  period: BudgetPeriod;
  /** Of a rolling one. */
  days: number | null;
  filters: BudgetFilters;
  thresholds: BudgetThreshold[];
}

/** The columns of a budget that hold JSON, as they are read. */
export const storedFilters = z.partialRecord(z.enum(budgetFilterNames), z.string());
export const storedThresholds = z.array(z.object({ percent: z.int(), of: z.enum(['actual', 'forecast']) }));
export const storedPeriod = z.enum(['monthly', 'rolling']);

/** So many months back what comes late is looked for. */
const lateMonthsMax = 12;

const weekHours = 7 * 24;

/** Whole hours since 1970, the end not in it. */
export interface Hours {
  from: number;
  to: number;
}

/** The months that a budget is looked at in: from the one that it was made in on, and not for ever. */
export function budgetMonths(madeHour: number, nowHour: number): { first: number; last: number } {
  const last = bucketOf('monthly', nowHour);
  return { first: Math.max(Math.min(bucketOf('monthly', madeHour), last), last - lateMonthsMax), last };
}

/** The last seven days, by which the days to come are told: the hour that has begun is the last of them. */
export function lastWeek(nowHour: number): Hours {
  return { from: nowHour + 1 - weekHours, to: nowHour + 1 };
}

/** The days that a rolling budget is of. */
export function rollingHours(days: number, nowHour: number): Hours {
  return { from: nowHour + 1 - days * 24, to: nowHour + 1 };
}

/** What a month will have cost, or so many days will, when it goes on as in the last week. Nano-dollars. */
export function forecastMonth(actual: bigint, week: bigint, nowHour: number): bigint {
  const hoursLeft = startOf('monthly', bucketOf('monthly', nowHour) + 1) - nowHour - 1;
  return actual + (week * BigInt(hoursLeft)) / BigInt(weekHours);
}

export function forecastDays(week: bigint, days: number): bigint {
  return (week * BigInt(days * 24)) / BigInt(weekHours);
}

/** What a period of a budget comes to. */
export interface PeriodCost {
  /** `2026-11`; of a rolling one empty. */
  period: string;
  actual: bigint;
  /** Of the period that goes on. */
  forecast?: bigint | undefined;
}

export interface Crossing extends BudgetThreshold {
  period: string;
  /** What it came to, in nano-dollars. */
  cost: bigint;
}

/** The thresholds that what was found comes to. */
export function crossingsOf({ amount, thresholds }: BudgetTerms, costs: readonly PeriodCost[]): Crossing[] {
  return costs.flatMap(({ period, ...measured }) =>
    thresholds.flatMap(({ percent, of }) => {
      const cost = measured[of];
      return cost !== undefined && cost * 100n >= amount * BigInt(percent) ? [{ period, percent, of, cost }] : [];
    }),
  );
}

/** `2026-11`, of months since January 1970. */
export function monthText(month: number): string {
  return new Date(startOf('monthly', month) * 3_600_000).toISOString().slice(0, 7);
}

/** Nano-dollars as a decimal. */
export function usdText(nano: bigint): string {
  return decimalFromUnits(nano, costDigits);
}
