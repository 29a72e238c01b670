// Billing dimensions and resource types of the platform's own, for its admins.
import { builder } from '../builder.js';
import { trialArgument } from '../change-arguments.js';
import { resultOf, resultType } from '../mutation.js';
import { inputFields } from '../shape-input.js';
import type { BilledDimension, BilledResourceType } from '../../../metering/billed.js';
import { billingDimensionInput, resourceTypeInput } from '../../../metering/billing-input.js';
import { DimensionKindEnum } from '../metering/enums.js';
import {
  createBillingDimension,
  createResourceType,
  deleteBillingDimension,
  deleteResourceType,
  retireBillingDimension,
  retireResourceType,
} from '../../../billing/billing-changes.js';
import { BilledDimensionType, BilledResourceTypeType } from './billed.js';

const needs = 'Needs an admin of the platform, and the scope admin.';

function dimensionResult(name: string, description: string) {
  return resultType<{ billingDimension: BilledDimension }>(name, description, (t) => ({
    billingDimension: t.expose('billingDimension', {
      type: BilledDimensionType,
      nullable: false,
      description: 'The dimension.',
    }),
  }));
}

function typeResult(name: string, description: string) {
  return resultType<{ resourceType: BilledResourceType }>(name, description, (t) => ({
    resourceType: t.expose('resourceType', {
      type: BilledResourceTypeType,
      nullable: false,
      description: 'The resource type.',
    }),
  }));
}

function namingInput(name: string, description: string) {
  return builder.inputType(name, {
    description,
    fields: (t) => ({ ...trialArgument(t), name: t.string({ required: true, description: 'Its name.' }) }),
  });
}

const CreateDimensionResult = dimensionResult('CreateBillingDimension', 'What createBillingDimension made');
const RetireDimensionResult = dimensionResult('RetireBillingDimension', 'What retireBillingDimension retired');
const DeleteDimensionResult = dimensionResult('DeleteBillingDimension', 'What deleteBillingDimension removed');
const CreateTypeResult = typeResult('CreateResourceType', 'What createResourceType made');
const RetireTypeResult = typeResult('RetireResourceType', 'What retireResourceType retired');
const DeleteTypeResult = typeResult('DeleteResourceType', 'What deleteResourceType removed');

const CreateDimensionInput = builder.inputType('CreateBillingDimensionInput', {
  description: 'A billing dimension beside those of the specification.',
  fields: (t) => ({
    ...trialArgument(t),
    ...inputFields(t, billingDimensionInput.omit({ kind: true })),
    kind: t.field({ type: DimensionKindEnum, description: 'What it bills, for good; usage when left out.' }),
  }),
});

const CreateTypeInput = builder.inputType('CreateResourceTypeInput', {
  description: 'A resource type beside those of the specification.',
  fields: (t) => ({ ...trialArgument(t), ...inputFields(t, resourceTypeInput) }),
});

const RetireDimensionInput = namingInput('RetireBillingDimensionInput', 'A billing dimension to retire.');
const DeleteDimensionInput = namingInput('DeleteBillingDimensionInput', 'A billing dimension to remove.');
const RetireTypeInput = namingInput('RetireResourceTypeInput', 'A resource type to retire.');
const DeleteTypeInput = namingInput('DeleteResourceTypeInput', 'A resource type to remove.');

builder.mutationFields((t) => ({
  createBillingDimension: t.field({
    type: CreateDimensionResult,
    nullable: false,
    description: `Makes a billing dimension of the platform’s own: usage of it is taken at once. ${needs}`,
    args: { input: t.arg({ type: CreateDimensionInput, required: true, description: 'The dimension.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ billingDimension: await createBillingDimension(ctx, input) })),
  }),
  retireBillingDimension: t.field({
    type: RetireDimensionResult,
    nullable: false,
    description: `Takes no usage of a billing dimension from now on, but of before still, however late. ${needs}`,
    args: { input: t.arg({ type: RetireDimensionInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ billingDimension: await retireBillingDimension(ctx, input) })),
  }),
  deleteBillingDimension: t.field({
    type: DeleteDimensionResult,
    nullable: false,
    description: `Removes a billing dimension that was retired a minute ago or longer and never used, with its prices. ${needs}`,
    args: { input: t.arg({ type: DeleteDimensionInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ billingDimension: await deleteBillingDimension(ctx, input) })),
  }),
  createResourceType: t.field({
    type: CreateTypeResult,
    nullable: false,
    description: `Makes a resource type of the platform’s own known by name. ${needs}`,
    args: { input: t.arg({ type: CreateTypeInput, required: true, description: 'The resource type.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ resourceType: await createResourceType(ctx, input) })),
  }),
  retireResourceType: t.field({
    type: RetireTypeResult,
    nullable: false,
    description: `Takes no usage of a resource type from now on, but of before still, however late. ${needs}`,
    args: { input: t.arg({ type: RetireTypeInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ resourceType: await retireResourceType(ctx, input) })),
  }),
  deleteResourceType: t.field({
    type: DeleteTypeResult,
    nullable: false,
    description: `Removes a retired resource type that no usage is of, and no billing dimension. ${needs}`,
    args: { input: t.arg({ type: DeleteTypeInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ resourceType: await deleteResourceType(ctx, input) })),
  }),
}));
