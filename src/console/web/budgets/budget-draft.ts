// The form values of a budget, and the input that is built from them.
import type { Budget, BudgetInput } from './budget-queries.js';

type Threshold = BudgetInput['thresholds'][number];

/** A condition on a label of the resources that a budget counts. */
export interface LabelCondition {
  key: string;
  test: 'IN' | 'SET' | 'UNSET';
  /** One value in each line, for `IN`. */
  values: string;
}

export interface BudgetDraft {
  name: string;
  amount: string;
  period: Budget['period'];
  action: Budget['action'];
  days: string;
  workspace: string | undefined;
  resourceType: string;
  resourceName: string;
  labels: readonly LabelCondition[];
  /** Whether it counts only one instance of a resource or one billing dimension, which the form does not change. */
  isNarrower: boolean;
  /** Thresholds in percent of the amount, such as "80, 100". */
  ofActual: string;
  ofForecast: string;
}

export const emptyDraft: BudgetDraft = {
  name: '',
  amount: '',
  period: 'MONTHLY',
  action: 'NOTIFY',
  days: '30',
  workspace: undefined,
  resourceType: '',
  resourceName: '',
  labels: [],
  isNarrower: false,
  ofActual: '80, 100',
  ofForecast: '100',
};

export function draftOf(budget: Budget): BudgetDraft {
  const percentages = (measure: Threshold['measure']) =>
    budget.thresholds
      .filter((each) => each.measure === measure)
      .map(({ percent }) => percent)
      .toSorted((one, other) => one - other)
      .join(', ');
  return {
    name: budget.name,
    amount: budget.amount,
    period: budget.period,
    action: budget.action,
    days: String(budget.days ?? emptyDraft.days),
    workspace: budget.workspaceName ?? undefined,
    resourceType: budget.resourceType ?? '',
    resourceName: budget.resourceName ?? '',
    labels: budget.labels.map(conditionOf),
    isNarrower: budget.resourceUuid !== null || budget.billingDimension !== null,
    ofActual: percentages('ACTUAL'),
    ofForecast: percentages('FORECAST'),
  };
}

export type BudgetTerms = Pick<BudgetInput, 'amount' | 'period' | 'thresholds'> & {
  days: number | null;
  action: Budget['action'];
  workspace: string | null;
  resourceType: string | null;
  resourceName: string | null;
  labels: { key: string; in?: string[]; isSet?: boolean }[];
};

/** Why the budget cannot stop deployments and executions; undefined if it can. */
export function stopProblem({ resourceType, resourceName, labels, isNarrower }: BudgetDraft): string | undefined {
  const isWhole = resourceType === '' && resourceName.trim() === '' && labels.every(isEmpty) && !isNarrower;
  return isWhole ? undefined : 'Only a budget of all usage, or of all usage of a workspace, can stop deployments.';
}

/** The terms of a budget, with null for unset fields; or an error message. */
export function termsOf(draft: BudgetDraft): BudgetTerms | { problem: string } {
  const amount = draft.amount.trim().replace(/^\$/, '');
  if (!/^\d+(\.\d+)?$/.test(amount)) return { problem: 'Amount must be a number in US dollars, such as 1500.' };
  const days = wholeNumber(draft.days);
  if (draft.period === 'ROLLING' && days === undefined) return { problem: 'Days must be a whole number.' };
  const actual = percentsIn(draft.ofActual);
  const forecast = percentsIn(draft.ofForecast);
  if (actual === undefined || forecast === undefined) {
    return { problem: 'Thresholds must be whole percentages separated by commas, such as 80, 100.' };
  }
  const thresholds = [
    ...actual.map((percent): Threshold => ({ percent, measure: 'ACTUAL' })),
    ...forecast.map((percent): Threshold => ({ percent, measure: 'FORECAST' })),
  ];
  if (thresholds.length === 0) return { problem: 'Add at least one threshold.' };
  const labels = draft.labels.filter((each) => !isEmpty(each));
  if (labels.some(({ key }) => key.trim() === '')) return { problem: 'Each label needs a key.' };
  const withoutValue = labels.find(({ test, values }) => test === 'IN' && linesOf(values).length === 0);
  if (withoutValue !== undefined) return { problem: `The label ${withoutValue.key.trim()} needs at least one value.` };
  const problem = draft.action === 'STOP' ? stopProblem(draft) : undefined;
  if (problem !== undefined) return { problem: `${problem} Choose “Only alert”, or remove the other conditions.` };
  return {
    amount,
    period: draft.period,
    action: draft.action,
    days: draft.period === 'ROLLING' ? (days ?? null) : null,
    workspace: draft.workspace ?? null,
    resourceType: textOrNone(draft.resourceType),
    resourceName: textOrNone(draft.resourceName),
    labels: labels.map(labelInput),
    thresholds,
  };
}

const termNames = [
  'amount',
  'period',
  'action',
  'days',
  'workspace',
  'resourceType',
  'resourceName',
  'labels',
  'thresholds',
] as const satisfies readonly (keyof BudgetTerms)[];

/** The changed terms only, so that changes of other users are not overwritten. @param before the values at the start */
export function changedTerms(before: BudgetDraft, terms: BudgetTerms): Partial<BudgetTerms> {
  const first = termsOf(before);
  if ('problem' in first) return terms;
  const changed: Partial<BudgetTerms> = { ...terms };
  for (const name of termNames) {
    if (JSON.stringify(first[name]) === JSON.stringify(terms[name])) delete changed[name];
  }
  return changed;
}

/** A condition that was added and not filled in. It is not sent. */
function isEmpty({ key, values }: LabelCondition): boolean {
  return key.trim() === '' && values.trim() === '';
}

function conditionOf({ key, in: values, isSet }: Budget['labels'][number]): LabelCondition {
  if (values !== null) return { key, test: 'IN', values: values.join('\n') };
  return { key, test: isSet === false ? 'UNSET' : 'SET', values: '' };
}

function labelInput({ key, test, values }: LabelCondition): BudgetTerms['labels'][number] {
  return { key: key.trim(), ...(test === 'IN' ? { in: linesOf(values) } : { isSet: test === 'SET' }) };
}

function linesOf(text: string): string[] {
  return [...new Set(text.split('\n').map((line) => line.trim()))].filter((line) => line !== '');
}

function textOrNone(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

function percentsIn(text: string): number[] | undefined {
  const parts = text.split(/[\s,;%]+/).filter((part) => part !== '');
  const numbers = parts.flatMap((part) => wholeNumber(part) ?? []);
  return numbers.length === parts.length ? numbers : undefined;
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,6}$/.test(text.trim()) ? Number(text) : undefined;
}
