// Validates the input of a budget and reports all broken rules at once. Pure.
import { invalidInput } from '../errors.js';
import type { ProblemCode } from '../error-codes.js';
import type { ExceededLimit, Problem } from '../errors.js';
import { disguise, unkept } from '../schema/text.js';
import { unitsFromDecimal, costDigits } from '../metering/amounts.js';
import { labelQuery } from '../metering/label-query.js';
import type { LabelFilter, LabelParameters } from '../metering/label-query.js';
import { readTogether } from '../schema/read-together.js';
import { ownName } from '../metering/billing-catalog.js';
import { budgetFilterNames } from './budget.js';
import type { BudgetAction, BudgetFilters, BudgetPeriod, BudgetTerms, BudgetThreshold } from './budget.js';

export const budgetAmountMaxUsd = 1_000_000_000;
export const budgetDaysMax = 366;
export const budgetPercentMax = 1_000;
export const budgetThresholdsMax = 10;

/** The terms of a budget as text. Filters have the names of the account metrics' filters. */
export type BudgetInput = { [Name in (typeof budgetFilterNames)[number]]?: string | null | undefined } & Pick<
  LabelParameters,
  'labels'
> & {
    amount: string;
    period: BudgetPeriod;
    days?: number | null | undefined;
    thresholds: readonly BudgetThreshold[];
    /** `notify` by default. */
    action?: BudgetAction | null | undefined;
  };

/** @throws 400 `invalid_input` with all broken rules. */
export function readBudget(input: BudgetInput): BudgetTerms {
  const { terms } = readTogether({ terms: () => readTerms(input), labels: () => labelQuery({ labels: input.labels }) });
  return terms;
}

function readTerms(input: BudgetInput): BudgetTerms {
  const problems: Problem[] = [];
  const refuse = (path: string[], code: ProblemCode, rule: string, exceeded?: ExceededLimit): void => {
    problems.push({ path, code, message: `${path.join('.')} ${rule}`, ...exceeded });
  };
  const amount = unitsFromDecimal(input.amount, costDigits, budgetAmountMaxUsd);
  if (typeof amount === 'object') {
    refuse(
      ['amount'],
      'invalid_value',
      'rule' in amount ? amount.rule : `must have at most ${costDigits} decimal places`,
    );
  } else if (amount === '0') refuse(['amount'], 'too_small', 'must be greater than 0');
  const days = input.days ?? null;
  if (input.period === 'monthly' && days !== null)
    refuse(['days'], 'not_available', 'is only allowed for rolling budgets');
  if (input.period === 'rolling' && (days === null || days < 1 || days > budgetDaysMax)) {
    refuse(['days'], days === null ? 'required' : 'invalid_value', `must be between 1 and ${budgetDaysMax}`);
  }
  const { thresholds } = input;
  if (thresholds.length === 0 || thresholds.length > budgetThresholdsMax) {
    refuse(
      ['thresholds'],
      thresholds.length === 0 ? 'too_short' : 'too_long',
      `must be 1 to ${budgetThresholdsMax} thresholds`,
      { limit: thresholds.length === 0 ? 1 : budgetThresholdsMax, actual: thresholds.length },
    );
  }
  for (const [index, { percent, measure }] of thresholds.entries()) {
    const path = ['thresholds', String(index)];
    if (percent < 1 || percent > budgetPercentMax) {
      refuse([...path, 'percent'], 'invalid_value', `must be between 1 and ${budgetPercentMax}`);
    }
    if (thresholds.findIndex((each) => each.percent === percent && each.measure === measure) < index) {
      refuse(path, 'duplicate', 'must be unique');
    }
  }
  const filters = readFilters(input, refuse);
  const action = input.action ?? 'notify';
  // Only these two filters say which changes would add to the cost.
  if (action === 'stop' && Object.keys(filters).some((name) => name !== 'workspace'))
    refuse(['action'], 'not_available', 'can only be STOP for a budget of all usage, or of all usage of a workspace');
  if (problems.length > 0) throw invalidInput(problems);
  const nano = typeof amount === 'string' ? BigInt(amount) : 0n;
  return {
    amount: nano,
    period: input.period,
    days,
    filters,
    thresholds: thresholds.map((each) => ({ ...each })),
    action,
  };
}

function readFilters(
  input: BudgetInput,
  refuse: (path: string[], code: ProblemCode, rule: string) => void,
): BudgetFilters {
  const filters: BudgetFilters = {};
  for (const name of budgetFilterNames) {
    const value = input[name];
    if (value === undefined || value === null) continue;
    if (value === '' || value.length > 200 || unkept.test(value)) {
      refuse([name], 'invalid_format', 'must be 1 to 200 characters, without control characters');
      continue;
    }
    const disguisedBy = disguise(value);
    if (disguisedBy !== undefined) refuse([name], 'invalid_format', disguisedBy);
    else if (name === 'billingDimension' && !ownName.test(value)) {
      refuse([name], 'invalid_value', 'must be the name of a billing dimension');
    } else filters[name] = value;
  }
  const labels = input.labels ?? [];
  for (const [index, { key, in: values }] of labels.entries()) {
    const keyRule = disguise(key);
    if (keyRule !== undefined) refuse(['labels', String(index), 'key'], 'invalid_format', keyRule);
    const valueRule = (values ?? []).map(disguise).find((rule) => rule !== undefined);
    if (valueRule !== undefined) refuse(['labels', String(index), 'in'], 'invalid_format', valueRule);
  }
  if (labels.length > 0) filters.labels = labels.map(givenFilter);
  return filters;
}

/** A condition without the fields that were not given. */
function givenFilter({ key, in: values, isSet }: LabelFilter): NonNullable<BudgetFilters['labels']>[number] {
  return { key, ...(values == null ? {} : { in: [...values] }), ...(isSet == null ? {} : { isSet }) };
}
