// The queries of a resource kind: one resource by name, and lists and counts. Names, scopes and costs follow from the
// registry of kinds; the application functions are the same for all kinds.
import {
  countChildren,
  countResources,
  getChild,
  getResource,
  listAccountResources,
  listChildren,
  listResources,
} from '../../resources/resource-reads.js';
import { resourceKinds } from '../../resource-kinds.js';
import type { ChildKind, NamedKind } from '../../resource-kinds.js';
import type { PartialResource } from '../../store/read/resource.js';
import type { ResourceKind } from '../../store/read/resource-kind.js';
import { AccountType, WorkspaceType } from './accounts/accounts.js';
import { builder } from './builder.js';
import type { ObjectType } from './builder.js';
import { connectionComplexity, orNull } from './connection.js';
import { filterArgument } from './filter-argument.js';
import { countComplexity, countDescription, groupArguments, groupByArgument, GroupCountType } from './group-counts.js';
import type { Groupings } from './group-counts.js';
import { requiresScopes } from './required-scopes.js';
import { connectionOf, listArguments, listComplexity } from './resource-fields.js';
import { resolveList, workspaceArgument } from './resource-list.js';
import { selectedColumns } from './selection.js';

/** The arguments of a list of resources. */
type ListArguments = typeof listArguments & ReturnType<typeof filterArgument>;

interface Lists<Row extends object> {
  type: ObjectType<PartialResource<Row>>;
  kind: ResourceKind<Row>;
  connection: ReturnType<typeof connectionOf<Row>>;
  args: ListArguments;
  /** Descriptions of the fields. Without one for it, the account has no such list. */
  query: string;
  workspace: string;
  account?: string;
}

/** Adds a list of resources to Query, Workspace and Account. @param field the name of the fields, such as `agents`. */
export function addLists<Row extends object>(
  field: string,
  { type, kind, connection, args: listed, query, workspace, account }: Lists<Row>,
): void {
  const shared = {
    type,
    // One root field that fails leaves the others.
    nullable: true,
    extensions: requiresScopes([[resourceKinds[kind.name].scopes.list]]),
    complexity: listComplexity,
  } as const;
  builder.queryField(field, (t) =>
    t.connection(
      {
        ...shared,
        description: query,
        args: { ...listed, ...workspaceArgument },
        resolve: (_root, args, ctx, info) =>
          resolveList(args, info, (input) => listResources(ctx, kind, { ...input, workspace: args.workspace })),
      },
      connection,
    ),
  );
  builder.objectField(WorkspaceType, field, (t) =>
    t.connection(
      {
        ...shared,
        description: workspace,
        args: listed,
        resolve: ({ name }, args, ctx, info) =>
          resolveList(args, info, (input) =>
            listResources(ctx, kind, { ...input, workspace: name, isOneOfMany: true }),
          ),
      },
      connection,
    ),
  );
  if (account === undefined) return;
  builder.objectField(AccountType, field, (t) =>
    t.connection(
      {
        ...shared,
        description: account,
        args: listed,
        resolve: ({ id: accountId }, args, ctx, info) =>
          resolveList(args, info, (input) => listAccountResources(ctx, kind, { ...input, accountId })),
      },
      connection,
    ),
  );
}

interface Counts {
  kind: ResourceKind<object>;
  /** Plural name of the kind in descriptions: `VPCs`. */
  many: string;
  args: ReturnType<typeof groupByArgument> & Pick<ListArguments, 'search' | 'filter'> & { label?: LabelArgument };
}

type LabelArgument = ReturnType<typeof groupArguments>['label'];

/** Adds counts by group to Query and Workspace. @param field the name of the fields, such as `agentCounts`. */
export function addCounts(field: string, { kind, many, args: counted }: Counts): void {
  const shared = countField(kind, many);
  builder.queryField(field, (t) =>
    t.field({
      ...shared,
      type: [GroupCountType],
      args: { ...counted, ...workspaceArgument },
      resolve: (_root, args, ctx) => countResources(ctx, kind, args),
    }),
  );
  builder.objectField(WorkspaceType, field, (t) =>
    t.field({
      ...shared,
      type: [GroupCountType],
      args: counted,
      resolve: ({ name }, args, ctx) => countResources(ctx, kind, { ...args, workspace: name }),
    }),
  );
}

function countField({ name }: ResourceKind<object>, many: string) {
  return {
    nullable: { list: true, items: false },
    extensions: requiresScopes([[resourceKinds[name].scopes.list]]),
    description: countDescription(many),
    complexity: countComplexity,
  } as const;
}

interface ResourceQueries<Row extends object> {
  type: ObjectType<PartialResource<Row>>;
  kind: ResourceKind<Row>;
  /** Plural name of the kind in descriptions: `VPCs`. */
  many: string;
  groupings: Groupings;
}

/** Adds the queries of a kind with metadata: `agent`, `agents` and `agentCounts` of Query, Workspace and Account. */
export function addResourceQueries<Row extends object>(
  name: NamedKind,
  { type, kind, many, groupings }: ResourceQueries<Row>,
): void {
  const { typeName, field, list, scopes } = resourceKinds[name];
  const filter = filterArgument(typeName, kind.criteria);
  addLists(list, {
    type,
    kind,
    connection: connectionOf(type, typeName, list),
    args: { ...listArguments, ...filter },
    query: `Lists the ${many} of a workspace.`,
    workspace: `Lists the ${many} of the workspace.`,
    account: `Lists the ${many} of all accessible workspaces of the account.`,
  });
  builder.queryField(field, (t) =>
    t.field({
      type,
      extensions: requiresScopes([[scopes.get]]),
      description: `One of the ${many} by name, or null if there is none.`,
      args: { name: t.arg.string({ required: true, description: 'Name of the resource.' }), ...workspaceArgument },
      resolve: (_root, args, ctx, info) => orNull(getResource(ctx, kind, { ...args, columns: selectedColumns(info) })),
    }),
  );
  const args = { ...groupArguments(typeName, groupings), search: listArguments.search, ...filter };
  addCounts(`${field}Counts`, { kind, many, args });
}

interface ChildQueries<Row extends object> {
  type: ObjectType<PartialResource<Row>>;
  kind: ResourceKind<Row>;
  /** The type of the resource that contains them. */
  parentType: ObjectType<PartialResource<object>>;
  args: Omit<ListArguments, 'filter'>;
  groupings: Groupings;
  isListNullable: boolean;
  /** How descriptions say one of them, all of them, and their container: `A preview`, `Previews`, `the sandbox`. */
  words: { one: string; many: string; container: string };
}

/** Adds the queries of resources that are in another one: `preview`, `previews` and `previewCounts` of Sandbox. */
export function addChildQueries<Row extends object>(
  name: ChildKind,
  { type, kind, parentType, args: listed, groupings, isListNullable, words }: ChildQueries<Row>,
): void {
  const { typeName, field, list, label, scopes } = resourceKinds[name];
  const { one, many, container } = words;
  const filter = filterArgument(typeName, kind.criteria);
  builder.objectField(parentType, field, (t) =>
    t.field({
      type,
      extensions: requiresScopes([[scopes.get]]),
      description: `${one} of ${container} by name, or null if there is none.`,
      args: { name: t.arg.string({ required: true, description: `Name of the ${label}.` }) },
      resolve: (parent, args, ctx, info) =>
        orNull(getChild(ctx, kind, parent, { name: args.name, columns: selectedColumns(info) })),
    }),
  );
  builder.objectField(parentType, list, (t) =>
    t.connection(
      {
        type,
        nullable: isListNullable,
        extensions: requiresScopes([[scopes.list]]),
        description: `${many.slice(0, 1).toUpperCase()}${many.slice(1)} of ${container}.`,
        args: { ...listed, ...filter },
        complexity: connectionComplexity,
        resolve: (parent, args, ctx, info) =>
          resolveList(args, info, (input) => listChildren(ctx, kind, parent, { ...input, isOneOfMany: true })),
      },
      connectionOf(type, typeName, many),
    ),
  );
  builder.objectField(parentType, `${field}Counts`, (t) =>
    t.field({
      ...countField(kind, many),
      type: [GroupCountType],
      args: { ...groupByArgument(typeName, groupings), search: listed.search, ...filter },
      resolve: (parent, args, ctx) => countChildren(ctx, kind, parent, args),
    }),
  );
}
