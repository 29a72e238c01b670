// Mutations of custom billing dimensions and custom resource types, for platform admins.
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument } from '../change-arguments.js';
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

const needs = 'Needs an admin of the platform.';

function dimensionResult(name: string, description: string) {
  return resultType<{ billingDimension: BilledDimension }>(name, description, (t) => ({
    billingDimension: t.expose('billingDimension', {
      type: BilledDimensionType,
      nullable: false,
      description: 'The billing dimension.',
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
    fields: (t) => ({
      ...dryRunArgument(t),
      name: t.string({ required: true, description: 'Name of the billing dimension or resource type.' }),
    }),
  });
}

const CreateDimensionResult = dimensionResult('CreateBillingDimension', 'The created billing dimension');
const RetireDimensionResult = dimensionResult('RetireBillingDimension', 'The retired billing dimension');
const DeleteDimensionResult = dimensionResult('DeleteBillingDimension', 'The deleted billing dimension');
const CreateTypeResult = typeResult('CreateResourceType', 'The created resource type');
const RetireTypeResult = typeResult('RetireResourceType', 'The retired resource type');
const DeleteTypeResult = typeResult('DeleteResourceType', 'The deleted resource type');

const CreateDimensionInput = builder.inputType('CreateBillingDimensionInput', {
  description: 'The custom billing dimension to create.',
  fields: (t) => ({
    ...dryRunArgument(t),
    ...inputFields(t, billingDimensionInput.omit({ kind: true })),
    kind: t.field({
      type: DimensionKindEnum,
      description: 'The kind of the dimension, which cannot be changed later (default: usage).',
    }),
  }),
});

const CreateTypeInput = builder.inputType('CreateResourceTypeInput', {
  description: 'The custom resource type to create.',
  fields: (t) => ({ ...dryRunArgument(t), ...inputFields(t, resourceTypeInput) }),
});

const RetireDimensionInput = namingInput('RetireBillingDimensionInput', 'The billing dimension to retire.');
const DeleteDimensionInput = namingInput('DeleteBillingDimensionInput', 'The billing dimension to delete.');
const RetireTypeInput = namingInput('RetireResourceTypeInput', 'The resource type to retire.');
const DeleteTypeInput = namingInput('DeleteResourceTypeInput', 'The resource type to delete.');

builder.mutationFields((t) => ({
  createBillingDimension: t.field({
    type: CreateDimensionResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description: `Creates a custom billing dimension, which accepts usage immediately. ${needs}`,
    args: {
      input: t.arg({ type: CreateDimensionInput, required: true, description: 'The billing dimension to create.' }),
    },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ billingDimension: await createBillingDimension(ctx, input) })),
  }),
  retireBillingDimension: t.field({
    type: RetireDimensionResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description: `Retires a billing dimension: new usage is rejected. Late events dated before the retirement are still accepted. ${needs}`,
    args: {
      input: t.arg({ type: RetireDimensionInput, required: true, description: 'The billing dimension to retire.' }),
    },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ billingDimension: await retireBillingDimension(ctx, input) })),
  }),
  deleteBillingDimension: t.field({
    type: DeleteDimensionResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description: `Deletes a billing dimension with its prices. The dimension must have been retired for at least one minute and never used. ${needs}`,
    args: {
      input: t.arg({ type: DeleteDimensionInput, required: true, description: 'The billing dimension to delete.' }),
    },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ billingDimension: await deleteBillingDimension(ctx, input) })),
  }),
  createResourceType: t.field({
    type: CreateTypeResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description: `Creates a custom resource type. ${needs}`,
    args: { input: t.arg({ type: CreateTypeInput, required: true, description: 'The resource type to create.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ resourceType: await createResourceType(ctx, input) })),
  }),
  retireResourceType: t.field({
    type: RetireTypeResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description: `Retires a resource type: new usage is rejected. Late events dated before the retirement are still accepted. ${needs}`,
    args: { input: t.arg({ type: RetireTypeInput, required: true, description: 'The resource type to retire.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ resourceType: await retireResourceType(ctx, input) })),
  }),
  deleteResourceType: t.field({
    type: DeleteTypeResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description: `Deletes a retired resource type that has no usage and no billing dimension. ${needs}`,
    args: { input: t.arg({ type: DeleteTypeInput, required: true, description: 'The resource type to delete.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ resourceType: await deleteResourceType(ctx, input) })),
  }),
}));
