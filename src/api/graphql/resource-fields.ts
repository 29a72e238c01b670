// What the fields share by which a kind of resource is reached: its connection, and the arguments of its list.
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
    { name: `${name}Edge`, description: `One of a page of ${many}, with its cursor.` },
  );
}

/** Arguments of the lists of kinds that have the whole of Metadata. */
export const listArguments = {
  ...sortArgument,
  ...searchArgument('name, displayName and labels (keys and values)'),
};

const OrderDirectionEnum = builder.enumType('OrderDirection', {
  description: 'Which way an order goes.',
  values: enumValues(orderDirections),
});

const CostOrderInput = builder.inputType('CostOrder', {
  description: 'By what each costs in a window, as its `cost` has it: exact, and on all pages as of one moment.',
  fields: (t) => ({
    startTime: t.field({ type: 'DateTime', required: true, description: 'Start of the window, inclusive.' }),
    endTime: t.field({ type: 'DateTime', required: true, description: 'End of the window, exclusive.' }),
    direction: t.field({ type: OrderDirectionEnum, description: 'What costs most first by default.' }),
  }),
});

const BilledOrderInput = builder.inputType('BilledOrder', {
  description: 'Orders that are worked out.',
  fields: (t) => ({ cost: t.field({ type: CostOrderInput, required: true, description: 'By cost.' }) }),
});

/** Arguments of the lists of what is billed by itself. */
export const billedListArguments = {
  ...listArguments,
  ...builder.args((t) => ({
    orderBy: t.field({
      type: BilledOrderInput,
      description: 'In place of `sort`. Ties are broken by id, in the same direction. Needs the scope metrics:read.',
    }),
  })),
};

/** An order by cost looks at the usage of everything in the list. */
export function billedListComplexity(
  args: ConnectionArguments & { orderBy?: object | null | undefined },
  ctx?: RequestContext,
  list?: { name: string },
) {
  const { field, multiplier } = connectionComplexity(args, ctx, list);
  return { field: field + (args.orderBy == null ? 0 : costOrderComplexity), multiplier };
}

const costOrderComplexity = 100;

/** Arguments of the lists of kinds that have a name, and no labels. */
export const namedListArguments = { ...sortArgument, ...searchArgument('name and displayName') };
