import { builder } from '../builder.js';
import type { InputFields } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument, versionArgument } from '../change-arguments.js';
import { NamedInterface } from '../named.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { listOrderArgument, resolveList, searchArgument } from '../resource-list.js';
import { AccountType } from '../accounts/accounts.js';
import { LabelFilter as LabelFilterInput } from '../filter-argument.js';
import { labelKeysMax } from '../../../metering/label-query.js';
import type { LabelFilter } from '../../../metering/label-query.js';
import { budgetActions, budgetMeasures, budgetPeriods, usdText } from '../../../billing/budget.js';
import type { budgetFilterNames, BudgetThreshold } from '../../../billing/budget.js';
import { budgetsMax, listBudgetPage } from '../../../billing/budgets.js';
import type { Budget } from '../../../billing/budgets.js';
import { addMutation, nonNull } from '../mutation.js';
import { namedAccount } from '../metering/usage.js';
import { budgetDaysMax, budgetPercentMax, budgetThresholdsMax } from '../../../billing/budget-input.js';
import { createBudget, deleteBudget, updateBudget } from '../../../billing/budget-changes.js';
import { optionalTimeField, timeField } from '../time-fields.js';

export const PeriodEnum = builder.enumType('BudgetPeriod', {
  description: 'The period of a budget.',
  values: enumValues(budgetPeriods),
});

export const MeasureEnum = builder.enumType('BudgetMeasure', {
  description: 'The amount that is compared with a threshold of a budget.',
  values: enumValues(budgetMeasures),
});

const ActionEnum = builder.enumType('BudgetAction', {
  description: 'The action at the amount of a budget.',
  values: enumValues(budgetActions),
});

const ThresholdType = builder.objectRef<BudgetThreshold>('BudgetThreshold').implement({
  description: 'A threshold of a budget: a change is recorded when the threshold is reached.',
  fields: (t) => ({
    percent: t.exposeInt('percent', {
      nullable: false,
      description: 'Threshold as a percentage of the budget amount.',
    }),
    measure: t.expose('measure', {
      type: MeasureEnum,
      nullable: false,
      description: 'The cost that is compared with the threshold.',
    }),
  }),
});

const CrossingType = builder.objectRef<Budget['crossings'][number]>('BudgetCrossing').implement({
  description: 'A threshold of a budget that was reached. The change log records it as a change of the kind BUDGET.',
  fields: (t) => ({
    period: t.string({
      description: 'The month, such as 2026-11, or null for a rolling budget.',
      resolve: ({ period }) => (period === '' ? null : period),
    }),
    percent: t.exposeInt('percent', {
      nullable: false,
      description: 'Threshold as a percentage of the budget amount.',
    }),
    measure: t.field({
      type: MeasureEnum,
      nullable: false,
      description: 'The cost that reached the threshold.',
      resolve: ({ measure }) => (measure === 'forecast' ? 'forecast' : 'actual'),
    }),
    cost: t.field({
      type: 'Decimal',
      nullable: false,
      description: 'The cost at that time (USD, exact).',
      resolve: ({ cost }) => usdText(cost),
    }),
    crossedAt: t.field(timeField('crossedAt', 'The time the crossing was detected.')),
  }),
});

const LabelType = builder.objectRef<LabelFilter>('BudgetLabel').implement({
  description: 'A condition on a label of the resources whose usage a budget counts.',
  fields: (t) => ({
    key: t.exposeString('key', { nullable: false, description: 'Key of the label.' }),
    in: t.stringList({
      description: 'The values that match. Null for any value.',
      resolve: ({ in: values }) => (values == null ? null : [...values]),
    }),
    isSet: t.boolean({
      description: 'True: the label must be present. False: it must be absent. Null if the condition does not say.',
      resolve: ({ isSet }) => isSet,
    }),
  }),
});

export const BudgetType = builder.objectRef<Budget>('Budget').implement({
  interfaces: [NamedInterface],
  description: 'The planned cost of an account in a period, for all usage or for the usage that the filters match.',
  fields: (t) => {
    const filter = (name: (typeof budgetFilterNames)[number], description: string) =>
      t.string({ description: `${description} Null if all are counted.`, resolve: ({ filters }) => filters[name] });
    return {
      name: t.exposeString('name', { nullable: false, description: 'Name of the budget, unique within the account.' }),
      amount: t.field({
        type: 'Decimal',
        nullable: false,
        description: 'Budget amount (USD).',
        resolve: ({ amount }) => usdText(amount),
      }),
      period: t.expose('period', { type: PeriodEnum, nullable: false, description: 'The period of the budget.' }),
      days: t.exposeInt('days', { description: 'Length of a rolling budget (days), or null for a monthly budget.' }),
      workspaceName: filter('workspace', 'Counts only this workspace.'),
      resourceType: filter('resourceType', 'Counts only this raw resource type.'),
      resourceName: filter('resourceName', 'Counts only resources of this name.'),
      resourceUuid: filter('resourceUuid', 'Counts only this UUID or instance id.'),
      billingDimension: filter('billingDimension', 'Counts only the billing dimension of this name.'),
      labels: t.field({
        type: [LabelType],
        nullable: { list: false, items: false },
        description:
          'Counts only usage of resources that had all of these labels at the time. Empty if all are counted.',
        resolve: ({ filters }) => filters.labels ?? [],
      }),
      thresholds: t.expose('thresholds', {
        type: [ThresholdType],
        nullable: { list: false, items: false },
        description: 'Thresholds of the budget.',
      }),
      action: t.expose('action', {
        type: ActionEnum,
        nullable: false,
        description: 'The action when the actual cost reaches the amount.',
      }),
      version: t.exposeInt('version', {
        nullable: false,
        description: 'Version of the budget, incremented by each change.',
      }),
      createdAt: t.field(timeField('createdAt', 'The time the budget was created.')),
      updatedAt: t.field(timeField('updatedAt', 'The time of the last update.')),
      computedAt: t.field(
        optionalTimeField(
          'lookedAt',
          'The time the actual and forecast costs were last computed, or null before the first computation.',
        ),
      ),
      actual: t.field({
        type: 'Decimal',
        description: 'Cost of the current period so far (USD, exact), or null before the first computation.',
        resolve: ({ actual }) => (actual === null ? null : usdText(actual)),
      }),
      forecast: t.field({
        type: 'Decimal',
        description:
          'Forecast cost of the current period, at the rate of the last seven days (USD), or null before the first ' +
          'computation.',
        resolve: ({ forecast }) => (forecast === null ? null : usdText(forecast)),
      }),
      crossings: t.expose('crossings', {
        type: [CrossingType],
        nullable: { list: false, items: false },
        complexity: { field: 1, multiplier: 10 },
        description: 'Thresholds that were reached since the last update, latest first.',
      }),
    };
  },
});

builder.objectField(AccountType, 'budgets', (t) =>
  t.connection(
    {
      type: BudgetType,
      // If this field is refused, the other fields of the account still return.
      nullable: true,
      extensions: requiresScopes([['metrics:read']]),
      description: `Budgets of the account (at most ${budgetsMax}). Needs an admin of the account.`,
      args: { ...listOrderArgument, ...searchArgument('name') },
      complexity: connectionComplexity,
      resolve: ({ id }, args, ctx, info) => resolveList(args, info, (input) => listBudgetPage(ctx, id, input)),
    },
    { name: 'BudgetConnection', description: 'A page of budgets.' },
    { name: 'BudgetEdge', description: 'A budget and its cursor.' },
  ),
);

const daysText = `Length of the period (days, 1 to ${budgetDaysMax}). Required for a rolling budget, not allowed for others.`;
const thresholdsText = `Thresholds of the budget (1 to ${budgetThresholdsMax}, without duplicates).`;

const actionText =
  'The action when the actual cost reaches the amount. STOP is only available for all usage, or all usage of a workspace';

function filterInputs(t: InputFields) {
  return {
    workspace: t.string({ description: 'Counts only this workspace.' }),
    resourceType: t.string({ description: 'Counts only this raw resource type.' }),
    resourceName: t.string({ description: 'Counts only resources of this name.' }),
    resourceUuid: t.string({ description: 'Counts only this UUID or instance id.' }),
    billingDimension: t.string({ description: 'Counts only the billing dimension of this name.' }),
    labels: t.field({
      type: [LabelFilterInput],
      description: `Counts only usage of resources that had all of these labels at the time (at most ${labelKeysMax} different ones).`,
    }),
  };
}

const ThresholdInput = builder.inputType('BudgetThresholdInput', {
  description: 'A threshold of a budget, at which to notify.',
  fields: (t) => ({
    percent: t.int({
      required: true,
      description: `Threshold as a percentage of the budget amount (1 to ${budgetPercentMax}).`,
    }),
    measure: t.field({
      type: MeasureEnum,
      required: true,
      description: 'The cost that is compared with the threshold.',
    }),
  }),
});

const needs = 'Needs an admin of the account.';

addMutation('createBudget', {
  description: `Creates a budget. Reaching one of its thresholds is recorded as a change, once per period. ${needs}`,
  scopes: [['admin']],
  inputDescription: 'The budget to create.',
  input: (t) => ({
    ...dryRunArgument(t),
    account: t.string({ required: true, description: 'Name or id of the account.' }),
    name: t.string({
      required: true,
      description: 'Name of the budget: lowercase letters, digits and hyphens; unique within the account.',
    }),
    amount: t.field({ type: 'Decimal', required: true, description: 'Budget amount (USD, more than 0).' }),
    period: t.field({ type: PeriodEnum, required: true, description: 'The period of the budget.' }),
    days: t.int({ description: daysText }),
    ...filterInputs(t),
    thresholds: t.field({ type: [ThresholdInput], required: true, description: thresholdsText }),
    action: t.field({ type: ActionEnum, description: `${actionText} (default: NOTIFY).` }),
  }),
  run: async (ctx, input) => {
    const account = namedAccount(ctx, input.account);
    return { budget: await createBudget(ctx, { ...input, account, amount: String(input.amount) }) };
  },
  payloadDescription: 'The created budget',
  payload: (t) => ({ budget: t.expose('budget', nonNull(BudgetType, 'The budget.')) }),
});

addMutation('updateBudget', {
  description: `Updates a budget. Its thresholds can be reached again afterwards. ${needs}`,
  scopes: [['admin']],
  inputDescription:
    'The budget to update, and its new values. An absent field keeps its value, null removes the value.',
  argumentDescription: 'The budget to update, and its new values.',
  input: (t) => ({
    ...dryRunArgument(t),
    ...versionArgument(t),
    account: t.string({ required: true, description: 'Name or id of the account.' }),
    name: t.string({ required: true, description: 'Name of the budget.' }),
    amount: t.field({ type: 'Decimal', description: 'Budget amount (USD, more than 0).' }),
    period: t.field({ type: PeriodEnum, description: 'The period of the budget.' }),
    days: t.int({ description: daysText }),
    ...filterInputs(t),
    thresholds: t.field({ type: [ThresholdInput], description: thresholdsText }),
    action: t.field({ type: ActionEnum, description: `${actionText}.` }),
  }),
  run: async (ctx, input) => {
    const account = namedAccount(ctx, input.account);
    const amount = input.amount == null ? input.amount : String(input.amount);
    return { budget: await updateBudget(ctx, { ...input, account, amount }) };
  },
  payloadDescription: 'The updated budget',
  payload: (t) => ({ budget: t.expose('budget', nonNull(BudgetType, 'The budget.')) }),
});

addMutation('deleteBudget', {
  description: `Deletes a budget. ${needs}`,
  scopes: [['admin']],
  inputDescription: 'The budget to delete.',
  input: (t) => ({
    ...dryRunArgument(t),
    ...versionArgument(t),
    account: t.string({ required: true, description: 'Name or id of the account.' }),
    name: t.string({ required: true, description: 'Name of the budget.' }),
  }),
  run: async (ctx, input) => {
    const account = namedAccount(ctx, input.account);
    return { budget: await deleteBudget(ctx, { ...input, account }) };
  },
  payloadDescription: 'The deleted budget',
  payload: (t) => ({ budget: t.expose('budget', nonNull(BudgetType, 'The budget.')) }),
});
