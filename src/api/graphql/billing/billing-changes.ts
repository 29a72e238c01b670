// Mutations of custom billing dimensions and custom resource types, for platform admins.
import { dryRunArgument } from '../change-arguments.js';
import { addMutation, nonNull } from '../mutation.js';
import { inputFields } from '../shape-input.js';
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
import type { InputFields } from '../builder.js';

const needs = 'Needs an admin of the platform.';

addMutation('createBillingDimension', {
  description: `Creates a custom billing dimension, which accepts usage immediately. ${needs}`,
  scopes: [['admin']],
  inputDescription: 'The custom billing dimension to create.',
  argumentDescription: 'The billing dimension to create.',
  input: (t) => ({
    ...dryRunArgument(t),
    ...inputFields(t, billingDimensionInput.omit({ kind: true })),
    kind: t.field({
      type: DimensionKindEnum,
      description: 'The kind of the dimension, which cannot be changed later (default: usage).',
    }),
  }),
  run: async (ctx, input) => ({ billingDimension: await createBillingDimension(ctx, input) }),
  payloadDescription: 'The created billing dimension',
  payload: (t) => ({
    billingDimension: t.expose('billingDimension', nonNull(BilledDimensionType, 'The billing dimension.')),
  }),
});

addMutation('retireBillingDimension', {
  description: `Retires a billing dimension: new usage is rejected. Late events dated before the retirement are still accepted. ${needs}`,
  scopes: [['admin']],
  inputDescription: 'The billing dimension to retire.',
  input: nameFields,
  run: async (ctx, input) => ({ billingDimension: await retireBillingDimension(ctx, input) }),
  payloadDescription: 'The retired billing dimension',
  payload: (t) => ({
    billingDimension: t.expose('billingDimension', nonNull(BilledDimensionType, 'The billing dimension.')),
  }),
});

addMutation('deleteBillingDimension', {
  description: `Deletes a billing dimension with its prices. The dimension must have been retired for at least one minute and never used. ${needs}`,
  scopes: [['admin']],
  inputDescription: 'The billing dimension to delete.',
  input: nameFields,
  run: async (ctx, input) => ({ billingDimension: await deleteBillingDimension(ctx, input) }),
  payloadDescription: 'The deleted billing dimension',
  payload: (t) => ({
    billingDimension: t.expose('billingDimension', nonNull(BilledDimensionType, 'The billing dimension.')),
  }),
});

addMutation('createResourceType', {
  description: `Creates a custom resource type. ${needs}`,
  scopes: [['admin']],
  inputDescription: 'The custom resource type to create.',
  argumentDescription: 'The resource type to create.',
  input: (t) => ({ ...dryRunArgument(t), ...inputFields(t, resourceTypeInput) }),
  run: async (ctx, input) => ({ resourceType: await createResourceType(ctx, input) }),
  payloadDescription: 'The created resource type',
  payload: (t) => ({ resourceType: t.expose('resourceType', nonNull(BilledResourceTypeType, 'The resource type.')) }),
});

addMutation('retireResourceType', {
  description: `Retires a resource type: new usage is rejected. Late events dated before the retirement are still accepted. ${needs}`,
  scopes: [['admin']],
  inputDescription: 'The resource type to retire.',
  input: nameFields,
  run: async (ctx, input) => ({ resourceType: await retireResourceType(ctx, input) }),
  payloadDescription: 'The retired resource type',
  payload: (t) => ({ resourceType: t.expose('resourceType', nonNull(BilledResourceTypeType, 'The resource type.')) }),
});

addMutation('deleteResourceType', {
  description: `Deletes a retired resource type that has no usage and no billing dimension. ${needs}`,
  scopes: [['admin']],
  inputDescription: 'The resource type to delete.',
  input: nameFields,
  run: async (ctx, input) => ({ resourceType: await deleteResourceType(ctx, input) }),
  payloadDescription: 'The deleted resource type',
  payload: (t) => ({ resourceType: t.expose('resourceType', nonNull(BilledResourceTypeType, 'The resource type.')) }),
});

function nameFields(t: InputFields) {
  const description = 'Name of the billing dimension or resource type.';
  return { ...dryRunArgument(t), name: t.string({ required: true, description }) };
}
