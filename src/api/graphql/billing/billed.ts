// What the platform bills, and at which prices, beside the closed list of the specification.
import type { ObjectFieldBuilder } from '@pothos/core';
import type { RequestContext } from '../../../auth/context.js';
import { builder } from '../builder.js';
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

type Types = (typeof builder)['$inferSchemaTypes'];

export const BillingPriceType = builder.objectRef<BilledPrice>('BillingPrice').implement({
  description: 'What one unit of a billing dimension costs from a time on, until the next price.',
  fields: (t) => ({
    from: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'From when on it counts.',
      resolve: ({ from }) => dateTime(from),
    }),
    currency: t.exposeString('currency', { nullable: false, description: 'ISO 4217.' }),
    unitPrice: t.field({
      type: 'Decimal',
      nullable: false,
      description: 'Of one unit, exact.',
      resolve: ({ unitPrice }) => unitPrice,
    }),
  }),
});

export const BilledDimensionType = builder.objectRef<BilledDimension>('BilledDimension').implement({
  description: 'What the platform bills: a dimension of the specification, or one of its own.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'As usage events have it.' }),
    unit: t.exposeString('unit', { nullable: false, description: 'What is counted.' }),
    kind: t.expose('kind', { type: DimensionKindEnum, nullable: false }),
    description: t.exposeString('description', { nullable: false, description: 'What it is, for people.' }),
    resourceTypes: t.stringList({
      nullable: { list: false, items: false },
      description: 'What it is measured of.',
      resolve: ({ resourceTypes }) => [...resourceTypes],
    }),
    ...standingFields(t, isDimensionInUse),
    price: t.field({
      type: BillingPriceType,
      description: 'The one that counts now.',
      resolve: ({ price }) => price ?? null,
    }),
    prices: t.field({
      type: [BillingPriceType],
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 5 },
      description: 'All of them, the earliest first.',
      resolve: ({ prices }) => prices,
    }),
  }),
});

export const BilledResourceTypeType = builder.objectRef<BilledResourceType>('BilledResourceType').implement({
  description: 'What usage can be of: a resource type of the specification, or one of the platform’s own.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'As usage events have it.' }),
    description: t.exposeString('description', { nullable: false, description: 'What it is, for people.' }),
    ...standingFields(t, isResourceTypeInUse),
  }),
});

/** Whose it is, and whether usage is of it. */
function standingFields<Billed extends BilledDimension | BilledResourceType>(
  t: ObjectFieldBuilder<Types, Billed>,
  isInUse: (ctx: RequestContext, name: string) => Promise<boolean | null>,
) {
  return {
    isSpecified: t.boolean({
      nullable: false,
      description: 'Whether it is one of the specification’s, which do not change.',
      resolve: ({ isSpecified }) => isSpecified,
    }),
    isInUse: t.boolean({
      complexity: 5,
      description: 'Whether there is usage of it, of any account; null but for admins of the platform.',
      resolve: ({ name }, _args, ctx) => isInUse(ctx, name),
    }),
    retiredFrom: t.field({
      type: 'DateTime',
      description: 'From when on no usage of it is taken.',
      resolve: ({ retiredFrom }) => (retiredFrom === undefined ? null : dateTime(retiredFrom)),
    }),
  };
}

builder.objectFields(SettingsType, (t) => ({
  dimensions: t.field({
    type: [BilledDimensionType],
    nullable: { list: true, items: false },
    complexity: { field: 5, multiplier: 10 },
    description: 'All billing dimensions, those of the platform’s own too, with prices. Needs the scope metrics:read.',
    resolve: (_settings, _args, ctx) => listBilledDimensions(ctx),
  }),
  resourceTypes: t.field({
    type: [BilledResourceTypeType],
    nullable: { list: true, items: false },
    complexity: { field: 5, multiplier: 5 },
    description: 'All resource types that are known by name. Needs the scope metrics:read.',
    resolve: (_settings, _args, ctx) => listBilledResourceTypes(ctx),
  }),
}));
