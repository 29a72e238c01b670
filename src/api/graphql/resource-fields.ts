// The connection and the list arguments that the fields of a resource kind share.
import type { RequestContext } from '../../auth/context.js';
import type { PartialResource } from '../../store/read/resource.js';
import type { OrderInput } from '../../store/read/list-input.js';
import { builder } from './builder.js';
import type { ObjectType } from './builder.js';
import { connectionComplexity } from './connection.js';
import type { ConnectionArguments } from './connection.js';
import { resourceOrderArgument, searchArgument } from './resource-list.js';

/** The connection type of a list, and the type of its edges, as builder.connection takes them. */
export function connectionOf<Row extends object>(type: ObjectType<PartialResource<Row>>, name: string, many: string) {
  return builder.connectionObject(
    { type, name: `${name}Connection`, description: `A page of ${many}.` },
    { name: `${name}Edge`, description: `An item of a page of ${many}, and its cursor.` },
  );
}

/** Arguments of the lists of resource kinds with Metadata. */
export const listArguments = {
  ...resourceOrderArgument,
  ...searchArgument('name, displayName and labels (keys and values)'),
};

/** The cost of a list of resources: an order by cost reads the usage of every item. */
export function listComplexity(
  args: ConnectionArguments & { orderBy?: OrderInput | null | undefined },
  ctx?: RequestContext,
  list?: { name: string },
) {
  const { field, multiplier } = connectionComplexity(args, ctx, list);
  return { field: field + (args.orderBy?.field === 'cost' ? costOrderComplexity : 0), multiplier };
}

const costOrderComplexity = 100;

/** Arguments of the lists of resource kinds with a name and without labels. */
export const namedListArguments = { ...resourceOrderArgument, ...searchArgument('name and displayName') };
