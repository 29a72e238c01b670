// The connection and the list arguments that the fields of a resource kind share.
import type { RequestContext } from '../../auth/context.js';
import type { PartialResource } from '../../store/read/resource.js';
import { orderDirections } from '../../store/read/list-input.js';
import { builder } from './builder.js';
import type { ObjectType } from './builder.js';
import { connectionComplexity } from './connection.js';
import type { ConnectionArguments } from './connection.js';
import { enumValues } from './enums.js';
import { searchArgument, sortArgument } from './resource-list.js';

/** The connection type of a list, and the type of its edges, as builder.connection takes them. */
export function connectionOf<Row extends object>(type: ObjectType<PartialResource<Row>>, name: string, many: string) {
  return builder.connectionObject(
    { type, name: `${name}Connection`, description: `A page of ${many}.` },
    { name: `${name}Edge`, description: `An item of a page of ${many}, and its cursor.` },
  );
}

/** Arguments of the lists of resource kinds with Metadata. */
export const listArguments = {
  ...sortArgument,
  ...searchArgument('name, displayName and labels (keys and values)'),
};

const OrderDirectionEnum = builder.enumType('OrderDirection', {
  description: 'Direction of an order.',
  values: enumValues(orderDirections),
});

const CostOrderInput = builder.inputType('CostOrder', {
  description: 'An order by cost in a time window, exact, as in the field `cost`. All pages use one snapshot.',
  fields: (t) => ({
    startTime: t.field({ type: 'DateTime', required: true, description: 'Start of the window, inclusive.' }),
    endTime: t.field({ type: 'DateTime', required: true, description: 'End of the window, exclusive.' }),
    direction: t.field({
      type: OrderDirectionEnum,
      description: 'Direction of the order (default: most expensive first).',
    }),
  }),
});

const BilledOrderInput = builder.inputType('BilledOrder', {
  description: 'An order by a computed value.',
  fields: (t) => ({ cost: t.field({ type: CostOrderInput, required: true, description: 'Orders the list by cost.' }) }),
});

/** Arguments of the lists of billed resource kinds. */
export const billedListArguments = {
  ...listArguments,
  ...builder.args((t) => ({
    orderBy: t.field({
      type: BilledOrderInput,
      description:
        'Order by a computed value, instead of `sort`. Ties are broken by id, in the same direction. Needs the scope ' +
        'metrics:read.',
    }),
  })),
};

/** An order by cost reads the usage of every item of the list. */
export function billedListComplexity(
  args: ConnectionArguments & { orderBy?: object | null | undefined },
  ctx?: RequestContext,
  list?: { name: string },
) {
  const { field, multiplier } = connectionComplexity(args, ctx, list);
  return { field: field + (args.orderBy == null ? 0 : costOrderComplexity), multiplier };
}

const costOrderComplexity = 100;

/** Arguments of the lists of resource kinds with a name and without labels. */
export const namedListArguments = { ...sortArgument, ...searchArgument('name and displayName') };
