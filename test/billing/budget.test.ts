// The rules of budgets: the cost of a period, and the crossed thresholds.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  budgetMonths,
  crossingsOf,
  forecastDays,
  forecastMonth,
  lastWeek,
  monthText,
  rollingHours,
} from '../../src/billing/budget.js';
import type { BudgetTerms } from '../../src/billing/budget.js';
import { readBudget } from '../../src/billing/budget-input.js';
import type { BudgetInput } from '../../src/billing/budget-input.js';

const hour = (text: string) => Date.parse(text) / 3_600_000;
const usd = 1_000_000_000n;

const terms: BudgetTerms = {
  amount: 100n * usd,
  period: 'monthly',
  days: null,
  filters: {},
  action: 'notify',
  thresholds: [
    { percent: 80, measure: 'actual' },
    { percent: 100, measure: 'forecast' },
  ],
};

describe('crossingsOf', () => {
  const crossed = (actual: bigint, forecast?: bigint) =>
    crossingsOf(terms, [{ period: '2026-11', actual, forecast }]).map(
      ({ percent, measure }) => `${percent} ${measure}`,
    );

  it.each([
    [80n * usd - 1n, undefined, []],
    [80n * usd, undefined, ['80 actual']],
    [0n, 100n * usd - 1n, []],
    [0n, 100n * usd, ['100 forecast']],
    [900n * usd, 900n * usd, ['80 actual', '100 forecast']],
  ])('for %s and a forecast of %s returns %s', (actual, forecast, expected) => {
    expect(crossed(actual, forecast)).toEqual(expected);
  });

  it('are computed for each period separately', () => {
    const costs = ['2026-09', '2026-10'].map((period) => ({ period, actual: 80n * usd }));
    expect(crossingsOf(terms, costs).map(({ period }) => period)).toEqual(['2026-09', '2026-10']);
  });
});

describe('The periods of a budget', () => {
  it.each([
    ['2026-11-20T12:00:00Z', '2026-11-21T12:00:00Z', ['2026-11', '2026-11']],
    ['2026-09-30T23:00:00Z', '2026-11-21T12:00:00Z', ['2026-09', '2026-11']],
    ['2020-01-01T00:00:00Z', '2026-11-21T12:00:00Z', ['2025-11', '2026-11']],
    ['2026-12-01T00:00:00Z', '2026-11-30T23:00:00Z', ['2026-11', '2026-11']],
  ])('created at %s and checked at %s are the months %s', (made, now, [from, to]) => {
    const { first, last } = budgetMonths(hour(made), hour(now));
    expect([monthText(first), monthText(last)]).toEqual([from, to]);
  });

  it('that roll end with the current hour', () => {
    const now = hour('2026-11-21T12:00:00Z');
    expect(rollingHours(1, now)).toEqual({ from: now - 23, to: now + 1 });
    expect(lastWeek(now)).toEqual(rollingHours(7, now));
  });
});

describe('A forecast', () => {
  it('is the present cost plus the rate of the last week for the remaining hours', () => {
    const now = hour('2026-11-23T23:00:00Z');
    expect(forecastMonth(10n * usd, 7n * usd, now)).toBe(17n * usd);
    expect(forecastMonth(10n * usd, 7n * usd, hour('2026-11-30T23:00:00Z'))).toBe(10n * usd);
    expect(forecastDays(7n * usd, 30)).toBe(30n * usd);
  });

  it('is never less than the present cost', () => {
    const nano = fc.bigInt({ min: 0n, max: 10n ** 18n });
    fc.assert(
      fc.property(
        nano,
        nano,
        fc.integer({ min: hour('2026-01-01T00:00:00Z'), max: hour('2027-12-31T23:00:00Z') }),
        (actual, week, now) => {
          expect(forecastMonth(actual, week, now) >= actual).toBe(true);
        },
      ),
    );
  });
});

describe('readBudget', () => {
  const input: BudgetInput = { amount: '100.5', period: 'monthly', thresholds: [{ percent: 80, measure: 'actual' }] };

  it('reads its terms', () => {
    expect(readBudget({ ...input, workspace: 'main', resourceType: null })).toEqual({
      amount: 100_500_000_000n,
      period: 'monthly',
      days: null,
      filters: { workspace: 'main' },
      thresholds: [{ percent: 80, measure: 'actual' }],
      action: 'notify',
    });
  });

  it('returns all validation errors together', () => {
    const wrong: BudgetInput = {
      amount: '0',
      period: 'rolling',
      days: 367,
      workspace: '',
      resourceName: 'a\0b',
      resourceUuid: '\ud800',
      billingDimension: 'A B',
      thresholds: [
        { percent: 0, measure: 'actual' },
        { percent: 50, measure: 'forecast' },
        { percent: 50, measure: 'forecast' },
      ],
    };
    const paths = (given: BudgetInput): string[] => {
      try {
        readBudget(given);
        return [];
      } catch (error) {
        const problems: { path: string[] }[] = Reflect.get(Object(error), 'problems');
        return problems.map(({ path }) => path.join('.'));
      }
    };
    expect(paths(wrong)).toEqual([
      'amount',
      'days',
      'thresholds.0.percent',
      'thresholds.2',
      'workspace',
      'resourceName',
      'resourceUuid',
      'billingDimension',
    ]);
    expect(paths({ ...input, days: 3 })).toEqual(['days']);
    expect(paths({ ...input, period: 'rolling' })).toEqual(['days']);
    expect(paths({ ...input, thresholds: [] })).toEqual(['thresholds']);
    for (const amount of ['', '-1', 'much', '1e10', '0.0000000001', '1000000000.1']) {
      expect(paths({ ...input, amount })).toEqual(['amount']);
    }
  });
});
