import type { InputFieldBuilder } from '@pothos/core';
import { builder } from '../builder.js';
import { keepsAnswer, resultOf, resultType } from '../mutation.js';
import { namedAccount } from '../metering/graphql.js';
import { budgetDaysMax, budgetPercentMax, budgetThresholdsMax } from '../../../billing/budget-input.js';
import { createBudget, deleteBudget, updateBudget } from '../../../billing/budget-changes.js';
import type { Budget } from '../../../billing/budgets.js';
import { BudgetType, MeasureEnum, PeriodEnum } from './graphql-budgets.js';

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
  description: 'A share of a budget to be told of.',
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
    extensions: keepsAnswer('budget'),
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
    description: `Gives a budget other terms: its shares can be come to again from then on. ${needs}`,
    extensions: keepsAnswer('budget'),
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
    extensions: keepsAnswer('budget'),
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'The budget.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({
        budget: await deleteBudget(ctx, { ...input, account: namedAccount(ctx, input.account) }),
      })),
  }),
}));
