// The queries of a resource kind: one resource by name, and the list and its counts, of a workspace and of an account.
// They differ by kind in the functions that read. Their names and scopes follow from the registry of kinds.
import type { RequestContext } from '../../auth/context.js';
import { resourceKinds } from '../../resource-kinds.js';
import type { NamedKind } from '../../resource-kinds.js';
import type { Criteria } from '../../store/read/filter.js';
import type { PartialResource } from '../../store/read/resource.js';
import type { GroupCount, specifiedGroupings } from '../../store/read/grouping.js';
import type { AccountListInput, ListPage, NamedInput, WorkspaceListInput } from '../../store/read/list-input.js';
import type { WorkspaceGroupsInput } from '../../store/read/read-groups.js';
import { AccountType, WorkspaceType } from './accounts/accounts.js';
import { builder } from './builder.js';
import { requiresScopes } from './required-scopes.js';
import type { ObjectType } from './builder.js';
import { orNull } from './connection.js';
import { filterArgument } from './filter-argument.js';
import { countComplexity, countDescription, groupArguments, GroupCountType } from './group-counts.js';
import { connectionOf, listArguments, listComplexity } from './resource-fields.js';
import { resolveList, workspaceArgument } from './resource-list.js';
import { selectedColumns } from './selection.js';

interface ResourceQueries<Row extends object> {
  type: ObjectType<PartialResource<Row>>;
  /** Plural name of the kind in descriptions: `VPCs`. */
  many: string;
  criteria: Criteria;
  /** `workloadGroupings` extend them. */
  groupings: typeof specifiedGroupings;
  get: (ctx: RequestContext, input: NamedInput) => Promise<PartialResource<Row>>;
  list: (ctx: RequestContext, input: WorkspaceListInput) => Promise<ListPage<PartialResource<Row>>>;
  listOfAccount: (ctx: RequestContext, input: AccountListInput) => Promise<ListPage<PartialResource<Row>>>;
  count: (ctx: RequestContext, input: WorkspaceGroupsInput) => Promise<GroupCount[]>;
}

/** Adds the queries of a kind: `agent`, `agents` and `agentCounts` of Query, Workspace and Account. */
export function addResourceQueries<Row extends object>(
  kind: NamedKind,
  { type, many, criteria, groupings, get, list, listOfAccount, count }: ResourceQueries<Row>,
): void {
  const { typeName, field, list: listField, scopes } = resourceKinds[kind];
  const filter = filterArgument(typeName, criteria);
  const connection = connectionOf(type, typeName, listField);
  const listed = { ...listArguments, ...filter };

  builder.queryField(listField, (t) =>
    t.connection(
      {
        type,
        // One root field that fails leaves the others.
        nullable: true,
        extensions: requiresScopes([[scopes.list]]),
        description: `Lists the ${many} of a workspace.`,
        args: { ...listed, ...workspaceArgument },
        complexity: listComplexity,
        resolve: (_root, args, ctx, info) =>
          resolveList(args, info, (input) => list(ctx, { ...input, workspace: args.workspace })),
      },
      connection,
    ),
  );

  builder.objectField(WorkspaceType, listField, (t) =>
    t.connection(
      {
        type,
        nullable: true,
        extensions: requiresScopes([[scopes.list]]),
        description: `Lists the ${many} of the workspace.`,
        args: listed,
        complexity: listComplexity,
        resolve: ({ name }, args, ctx, info) =>
          resolveList(args, info, (input) => list(ctx, { ...input, workspace: name, isOneOfMany: true })),
      },
      connection,
    ),
  );

  builder.objectField(AccountType, listField, (t) =>
    t.connection(
      {
        type,
        nullable: true,
        extensions: requiresScopes([[scopes.list]]),
        description: `Lists the ${many} of all accessible workspaces of the account.`,
        args: listed,
        complexity: listComplexity,
        resolve: ({ id: accountId }, args, ctx, info) =>
          resolveList(args, info, (input) => listOfAccount(ctx, { ...input, accountId })),
      },
      connection,
    ),
  );

  builder.queryField(field, (t) =>
    t.field({
      type,
      extensions: requiresScopes([[scopes.get]]),
      description: `One of the ${many} by name, or null if there is none.`,
      args: { name: t.arg.string({ required: true, description: 'Name of the resource.' }), ...workspaceArgument },
      resolve: (_root, args, ctx, info) => orNull(get(ctx, { ...args, columns: selectedColumns(info) })),
    }),
  );

  const counted = { ...groupArguments(typeName, groupings), search: listArguments.search, ...filter };
  const counts = {
    nullable: { list: true, items: false },
    extensions: requiresScopes([[scopes.list]]),
    description: countDescription(many),
    complexity: countComplexity,
  } as const;

  builder.queryField(`${field}Counts`, (t) =>
    t.field({
      ...counts,
      type: [GroupCountType],
      args: { ...counted, ...workspaceArgument },
      resolve: (_root, args, ctx) => count(ctx, args),
    }),
  );

  builder.objectField(WorkspaceType, `${field}Counts`, (t) =>
    t.field({
      ...counts,
      type: [GroupCountType],
      args: counted,
      resolve: ({ name }, args, ctx) => count(ctx, { ...args, workspace: name }),
    }),
  );
}
