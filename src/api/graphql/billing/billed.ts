// Billing dimensions and resource types, including the platform's custom ones, with their prices.
import type { RequestContext } from '../../../auth/context.js';
import { builder } from '../builder.js';
import type { ObjectFields } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { NamedInterface } from '../named.js';
import { DimensionKindEnum } from '../metering/enums.js';
import type { BilledDimension, BilledPrice, BilledResourceType } from '../../../metering/billed.js';
import {
  isDimensionInUse,
  isResourceTypeInUse,
  listBilledDimensions,
  listBilledResourceTypes,
} from '../../../billing/billed.js';
import { SettingsType } from './settings.js';
import { dateTime } from './time.js';

export const BillingPriceType = builder.objectRef<BilledPrice>('BillingPrice').implement({
  description: 'The price of one unit of a billing dimension, from a time onwards until the next price.',
  fields: (t) => ({
    from: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'The time the price takes effect.',
      resolve: ({ from }) => dateTime(from),
    }),
    currency: t.exposeString('currency', { nullable: false, description: 'Currency code (ISO 4217).' }),
    unitPrice: t.field({
      type: 'Decimal',
      nullable: false,
      description: 'Price of one unit, exact.',
      resolve: ({ unitPrice }) => unitPrice,
    }),
  }),
});

export const BilledDimensionType = builder.objectRef<BilledDimension>('BillingDimension').implement({
  interfaces: [NamedInterface],
  description: 'A billing dimension: one of the specification, or a custom dimension of the platform.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'The name, as usage events state it.' }),
    unit: t.exposeString('unit', { nullable: false, description: 'The unit of usage.' }),
    kind: t.expose('kind', { type: DimensionKindEnum, nullable: false }),
    description: t.exposeString('description', { nullable: false, description: 'A human-readable description.' }),
    resourceTypes: t.stringList({
      nullable: { list: false, items: false },
      description: 'The resource type that the dimension measures.',
      resolve: ({ resourceTypes }) => [...resourceTypes],
    }),
    ...standingFields(t, isDimensionInUse),
    price: t.field({
      type: BillingPriceType,
      description: 'The current price, or null if there is none.',
      resolve: ({ price }) => price ?? null,
    }),
    prices: t.field({
      type: [BillingPriceType],
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 5 },
      description: 'All prices, earliest first.',
      resolve: ({ prices }) => prices,
    }),
  }),
});

export const BilledResourceTypeType = builder.objectRef<BilledResourceType>('ResourceType').implement({
  interfaces: [NamedInterface],
  description: 'A resource type of usage: one of the specification, or a custom resource type of the platform.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'The name, as usage events state it.' }),
    description: t.exposeString('description', { nullable: false, description: 'A human-readable description.' }),
    ...standingFields(t, isResourceTypeInUse),
  }),
});

/** The fields on origin, use and retirement that billing dimensions and resource types share. */
function standingFields<Billed extends BilledDimension | BilledResourceType>(
  t: ObjectFields<Billed>,
  isInUse: (ctx: RequestContext, name: string) => Promise<boolean | null>,
) {
  return {
    isBuiltIn: t.boolean({
      nullable: false,
      description: 'True if the specification defines the item, which is then immutable.',
      resolve: ({ isSpecified }) => isSpecified,
    }),
    isInUse: t.boolean({
      complexity: 5,
      description: 'True if any account has recorded usage of the item. Null for callers who are not platform admins.',
      resolve: ({ name }, _args, ctx) => isInUse(ctx, name),
    }),
    retiredFrom: t.field({
      type: 'DateTime',
      description: 'The time from which new usage is rejected, or null if the item is not retired.',
      resolve: ({ retiredFrom }) => (retiredFrom === undefined ? null : dateTime(retiredFrom)),
    }),
  };
}

builder.objectFields(SettingsType, (t) => ({
  billingDimensions: t.field({
    type: [BilledDimensionType],
    nullable: { list: true, items: false },
    complexity: { field: 5, multiplier: 10 },
    extensions: requiresScopes([['metrics:read']]),
    description: 'All billing dimensions, including custom ones, with prices.',
    resolve: (_settings, _args, ctx) => listBilledDimensions(ctx),
  }),
  resourceTypes: t.field({
    type: [BilledResourceTypeType],
    nullable: { list: true, items: false },
    complexity: { field: 5, multiplier: 5 },
    extensions: requiresScopes([['metrics:read']]),
    description: 'All known resource types, including custom ones.',
    resolve: (_settings, _args, ctx) => listBilledResourceTypes(ctx),
  }),
}));
