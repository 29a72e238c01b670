// Fields that are made from columns of a row. Each says which, so that a list reads these and no others; where a row was
// read without them, they are read then. With only two shapes of a row, a summary and the whole, the gateway served 0.75 of
// the lists with three fields and 0.53 of those with a part of the spec (50 of 100,000 agents, 16 clients); with a third
// shape, without events, 0.74 and 0.87.
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { resourceKinds } from '../../resource-kinds.js';
import { findResources } from '../../resources/resource-reads.js';
import type { ResourceKind } from '../../store/read/resource-kind.js';
import type { PartialResource, Read } from '../../store/read/resource.js';
import { requiresScopes } from './required-scopes.js';
import { fieldsBelow, RowNeeds } from './selection.js';

type Made<Value> = Value | Promise<Value>;

/** The columns of a row that are text. */
type TextColumn<Row> = { [Column in keyof Row & string]: Row[Column] extends string ? Column : never }[keyof Row &
  string];

/** Makes the options of fields of one kind of row. */
export function rowFields<Row extends object>() {
  return {
    /** A field made from some columns. */
    of: <Column extends keyof Row & string, Value>(
      columns: readonly Column[],
      make: (row: Read<Row, Column>, found: PartialResource<Row>) => Value,
    ) => ({
      extensions: { rowNeeds: new RowNeeds(columns) },
      resolve: (found: PartialResource<Row>): Made<Value> => {
        const row = found.read(columns);
        return row instanceof Promise ? row.then((read) => make(read, found)) : make(row, found);
      },
    }),

    /** A field that is an object of fields, each made from columns of its own. */
    part: <Column extends keyof Row & string, Value>(
      columns: readonly Column[],
      columnsByField: Readonly<Record<string, readonly (keyof Row & string)[]>>,
      make: (row: Read<Row, Column>, found: PartialResource<Row>) => Value,
    ) => {
      const known = new WeakMap<readonly FieldNode[], readonly (keyof Row & string)[]>();
      const wanted = (info: GraphQLResolveInfo): readonly (keyof Row & string)[] => {
        const before = known.get(info.fieldNodes);
        if (before !== undefined) return before;
        const below = [...fieldsBelow(info)].flatMap((field) => columnsByField[field] ?? []);
        const all = [...new Set<keyof Row & string>([...columns, ...below])];
        known.set(info.fieldNodes, all);
        return all;
      };
      return {
        extensions: { rowNeeds: new RowNeeds(columns, columnsByField) },
        resolve: (found: PartialResource<Row>, _args: object, _ctx: object, info: GraphQLResolveInfo): Made<Value> => {
          const row = found.read(wanted(info));
          return row instanceof Promise ? row.then((read) => make(read, found)) : make(row, found);
        },
      };
    },

    /** The resource that contains the row. @param column the column with its id. */
    owner: <Owner extends object>(column: TextColumn<Row>, kind: ResourceKind<Owner>) => ({
      extensions: {
        ...requiresScopes([[resourceKinds[kind.name].scopes.get]]),
        rowNeeds: new RowNeeds([column]),
      },
      resolve: async (found: PartialResource<Row>): Promise<PartialResource<Owner> | null> => {
        const row = await found.read([column]);
        const [owner = null] = await findResources(found.ctx, kind, [String(row[column])]);
        return owner;
      },
    }),

    /** A field whose object is the same resource, seen from another side. */
    same: () => ({
      extensions: { isSameRow: true },
      resolve: (found: PartialResource<Row>): PartialResource<Row> => found,
    }),
  };
}
