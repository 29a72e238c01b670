import { builder } from '../builder.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { resolveList, searchArgument, sortArgument } from '../resource-list.js';
import { AccountType } from '../accounts/accounts.js';
import { budgetMeasures, budgetPeriods, usdText } from '../../../billing/budget.js';
import type { BudgetThreshold } from '../../../billing/budget.js';
import { budgetsMax, listBudgetPage, listBudgets } from '../../../billing/budgets.js';
import type { Budget } from '../../../billing/budgets.js';
import type { InputFieldBuilder } from '@pothos/core';
import { resultOf, resultType } from '../mutation.js';
import { namedAccount } from '../metering/usage.js';
import { budgetDaysMax, budgetPercentMax, budgetThresholdsMax } from '../../../billing/budget-input.js';
import { createBudget, deleteBudget, updateBudget } from '../../../billing/budget-changes.js';

export const PeriodEnum = builder.enumType('BudgetPeriod', {
  description: 'In which time a budget is spent.',
  values: enumValues(budgetPeriods),
});

export const MeasureEnum = builder.enumType('BudgetMeasure', {
  description: 'What is compared with a share of a budget.',
  values: enumValues(budgetMeasures),
});

const ThresholdType = builder.objectRef<BudgetThreshold>('BudgetThreshold').implement({
  description: 'A share of a budget that is told of when it is come to.',
  fields: (t) => ({
    percent: t.exposeInt('percent', { nullable: false, description: 'Of the amount.' }),
    of: t.expose('of', { type: MeasureEnum, nullable: false, description: 'What is compared with it.' }),
  }),
});

const CrossingType = builder.objectRef<Budget['crossings'][number]>('BudgetCrossing').implement({
  description: 'A share of a budget that was come to. It is a change in the history as well, of the kind BUDGET.',
  fields: (t) => ({
    period: t.string({
      description: 'The month, such as 2026-11; null for a rolling budget.',
      resolve: ({ period }) => (period === '' ? null : period),
    }),
    percent: t.exposeInt('percent', { nullable: false, description: 'Of the amount.' }),
    of: t.field({
      type: MeasureEnum,
      nullable: false,
      description: 'What came to it.',
      resolve: ({ measure }) => (measure === 'forecast' ? 'forecast' : 'actual'),
    }),
    cost: t.field({
      type: 'Decimal',
      nullable: false,
      description: 'What it came to then: USD, exact.',
      resolve: ({ cost }) => usdText(cost),
    }),
    crossedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was found.',
      resolve: ({ crossedAt }) => crossedAt.toISOString(),
    }),
  }),
});

export const BudgetType = builder.objectRef<Budget>('Budget').implement({
  description: 'What an account means to spend in a time, on all of its usage or on what some filters leave.',
  fields: (t) => {
    const filter = (name: keyof Budget['filters'], description: string) =>
      t.string({ description, resolve: ({ filters }) => filters[name] });
    return {
      name: t.exposeString('name', { nullable: false, description: 'Unique in the account.' }),
      amount: t.field({
        type: 'Decimal',
        nullable: false,
        description: 'USD.',
        resolve: ({ amount }) => usdText(amount),
      }),
      period: t.expose('period', { type: PeriodEnum, nullable: false, description: 'In which time it is spent.' }),
      days: t.exposeInt('days', { description: 'Of a rolling budget.' }),
      workspace: filter('workspace', 'Only this workspace.'),
      resourceType: filter('resourceType', 'Only this raw resource type.'),
      resourceName: filter('resourceName', 'Only resources of this name.'),
      resourceUuid: filter('resourceUuid', 'Only this UUID or instance id.'),
      billingDimension: filter('billingDimension', 'Only this billing dimension, by its name.'),
      thresholds: t.expose('thresholds', {
        type: [ThresholdType],
        nullable: { list: false, items: false },
        description: 'The shares that are told of.',
      }),
      version: t.exposeInt('version', { nullable: false, description: 'One more with each change.' }),
      createdAt: t.field({
        type: 'DateTime',
        nullable: false,
        description: 'When it was made.',
        resolve: ({ createdAt }) => createdAt.toISOString(),
      }),
      updatedAt: t.field({
        type: 'DateTime',
        nullable: false,
        description: 'When it was last changed.',
        resolve: ({ updatedAt }) => updatedAt.toISOString(),
      }),
      lookedAt: t.field({
        type: 'DateTime',
        description: 'When actual and forecast were last added up; null before the first time.',
        resolve: ({ lookedAt }) => lookedAt?.toISOString(),
      }),
      actual: t.field({
        type: 'Decimal',
        description: 'What the present period came to: USD, exact.',
        resolve: ({ actual }) => (actual === null ? null : usdText(actual)),
      }),
      forecast: t.field({
        type: 'Decimal',
        description: 'What it will come to if it goes on as in the last seven days: USD.',
        resolve: ({ forecast }) => (forecast === null ? null : usdText(forecast)),
      }),
      crossings: t.expose('crossings', {
        type: [CrossingType],
        nullable: { list: false, items: false },
        complexity: { field: 1, multiplier: 10 },
        description: 'Since it was last changed, the latest first.',
      }),
    };
  },
});

builder.objectField(AccountType, 'budgets', (t) =>
  t.field({
    type: [BudgetType],
    nullable: { list: true, items: false },
    complexity: { field: 5, multiplier: budgetsMax },
    description: `At most ${budgetsMax}, by name. For admins of the account, with the scope metrics:read.`,
    deprecationReason: 'budgetConnection is a list like any other.',
    resolve: ({ id }, _args, ctx) => listBudgets(ctx, id),
  }),
);

builder.objectField(AccountType, 'budgetConnection', (t) =>
  t.connection(
    {
      type: BudgetType,
      // Its refusal leaves the rest of the account.
      nullable: true,
      description: 'Its budgets. For admins of the account, with the scope metrics:read.',
      args: { ...sortArgument, ...searchArgument('name') },
      complexity: connectionComplexity,
      resolve: ({ id }, args, ctx, info) => resolveList(args, info, (input) => listBudgetPage(ctx, id, input)),
    },
    { name: 'BudgetConnection', description: 'A page of budgets.' },
    { name: 'BudgetEdge', description: 'One of a page of budgets, with its cursor.' },
  ),
);

const daysText = `Of a rolling budget, and of no other: 1 to ${budgetDaysMax}.`;
const thresholdsText = `1 to ${budgetThresholdsMax} shares, each once.`;

type InputFields = InputFieldBuilder<(typeof builder)['$inferSchemaTypes'], 'InputObject'>;

function filterInputs(t: InputFields) {
  return {
    workspace: t.string({ description: 'Only this workspace.' }),
    resourceType: t.string({ description: 'Only this raw resource type.' }),
    resourceName: t.string({ description: 'Only resources of this name.' }),
    resourceUuid: t.string({ description: 'Only this UUID or instance id.' }),
    billingDimension: t.string({ description: 'Only this billing dimension, by its name.' }),
  };
}

const ThresholdInput = builder.inputType('BudgetThresholdInput', {
  description: 'A share of a budget at which to notify.',
  fields: (t) => ({
    percent: t.int({ required: true, description: `Of the amount: 1 to ${budgetPercentMax}.` }),
    of: t.field({ type: MeasureEnum, required: true, description: 'What is compared with it.' }),
  }),
});

const CreateInput = builder.inputType('CreateBudgetInput', {
  description: 'A budget, with all its terms.',
  fields: (t) => ({
    account: t.string({ required: true, description: 'Name or id of the account.' }),
    name: t.string({ required: true, description: 'Lowercase letters, digits and hyphens; unique in the account.' }),
    amount: t.field({ type: 'Decimal', required: true, description: 'USD: more than 0.' }),
    period: t.field({ type: PeriodEnum, required: true, description: 'In which time it is spent.' }),
    days: t.int({ description: daysText }),
    ...filterInputs(t),
    thresholds: t.field({ type: [ThresholdInput], required: true, description: thresholdsText }),
  }),
});

const UpdateInput = builder.inputType('UpdateBudgetInput', {
  description: 'What a budget shall be: an absent field stays, null removes.',
  fields: (t) => ({
    account: t.string({ required: true, description: 'Name or id of the account.' }),
    name: t.string({ required: true, description: 'Its name.' }),
    ifVersion: t.int({ description: 'Only if it has this version.' }),
    amount: t.field({ type: 'Decimal', description: 'USD: more than 0.' }),
    period: t.field({ type: PeriodEnum, description: 'In which time it is spent.' }),
    days: t.int({ description: daysText }),
    ...filterInputs(t),
    thresholds: t.field({ type: [ThresholdInput], description: thresholdsText }),
  }),
});

const DeleteInput = builder.inputType('DeleteBudgetInput', {
  description: 'A budget to remove.',
  fields: (t) => ({
    account: t.string({ required: true, description: 'Name or id of the account.' }),
    name: t.string({ required: true, description: 'Its name.' }),
    ifVersion: t.int({ description: 'Only if it has this version.' }),
  }),
});

function budgetResult(name: string, description: string) {
  return resultType<{ budget: Budget }>(name, description, (t) => ({
    budget: t.expose('budget', { type: BudgetType, nullable: false, description: 'The budget.' }),
  }));
}

const CreateResult = budgetResult('CreateBudget', 'What createBudget made');
const UpdateResult = budgetResult('UpdateBudget', 'What updateBudget changed');
const DeleteResult = budgetResult('DeleteBudget', 'What deleteBudget removed');

const needs = 'Needs an admin of the account, and the scope admin.';

builder.mutationFields((t) => ({
  createBudget: t.field({
    type: CreateResult,
    nullable: false,
    description: `Makes a budget. Coming to one of its shares is a change, once in a period. ${needs}`,
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The budget.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({
        budget: await createBudget(ctx, {
          ...input,
          account: namedAccount(ctx, input.account),
          amount: String(input.amount),
        }),
      })),
  }),
  updateBudget: t.field({
    type: UpdateResult,
    nullable: false,
    description: `Changes the terms of a budget. Its thresholds can be crossed again afterwards. ${needs}`,
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'What shall be otherwise.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({
        budget: await updateBudget(ctx, {
          ...input,
          account: namedAccount(ctx, input.account),
          amount: input.amount == null ? undefined : String(input.amount),
        }),
      })),
  }),
  deleteBudget: t.field({
    type: DeleteResult,
    nullable: false,
    description: `Removes a budget. ${needs}`,
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'The budget.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({
        budget: await deleteBudget(ctx, { ...input, account: namedAccount(ctx, input.account) }),
      })),
  }),
}));
