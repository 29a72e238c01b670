// The fields by which a kind of resource is reached: its list and one by name at the root, its list in each
// workspace, or its list in each resource that it belongs to.
import type { ReachableWorkspace } from '../access/caller.js';
import type { RequestContext } from '../context.js';
import type { Found, ListInput, NamedInput, ResourcePage, WorkspaceListInput } from '../resources/resource-kind.js';
import { builder } from './builder.js';
import type { ObjectType } from './builder.js';
import { connectionComplexity, orNull } from './connection.js';
import { resolveList, searchArgument, selectedColumns, sortArgument, workspaceArgument } from './resource-list.js';
import { selectedPaths } from './selection.js';

type ResourceType = ObjectType<Found<unknown>>;

/** The connection type of a list, and the type of its edges. */
function connectionOf(type: ResourceType, name: string, many: string) {
  return builder.connectionObject(
    { type, name: `${name}Connection`, description: `A page of ${many}.` },
    { name: `${name}Edge`, description: `One of a page of ${many}, with its cursor.` },
  );
}

interface WorkspaceResource {
  /** The type's name, and those of the fields: Agent, agent, agents. */
  name: string;
  one: string;
  many: string;
  scopes: { list: string; get: string };
  list: (ctx: RequestContext, input: WorkspaceListInput) => Promise<ResourcePage<unknown>>;
  get: (ctx: RequestContext, input: NamedInput) => Promise<Found<unknown>>;
}

/** Adds the list to the root and to each workspace, and one by name to the root. */
export function addResourceFields(
  type: ResourceType,
  workspaceType: ObjectType<ReachableWorkspace>,
  resource: WorkspaceResource,
): void {
  const { name, one, many, scopes, list, get } = resource;
  const search = searchArgument('name, displayName and labels (keys and values)');
  addWorkspaceList(type, workspaceType, { name, field: many, many, scope: scopes.list, search, list });
  builder.queryField(one, (t) =>
    t.field({
      type,
      description: `One of the ${many} by its name; null when there is none. Needs the scope ${scopes.get}.`,
      args: { name: t.arg.string({ required: true }), ...workspaceArgument },
      resolve: (_root, args, ctx, info) => orNull(get(ctx, { ...args, columns: selectedColumns(selectedPaths(info)) })),
    }),
  );
}

interface WorkspaceList {
  name: string;
  /** The field, and how a description names several: pendingImageShares, pending image shares. */
  field: string;
  many: string;
  scope: string;
  search: ReturnType<typeof searchArgument>;
  list: (ctx: RequestContext, input: WorkspaceListInput) => Promise<ResourcePage<unknown>>;
}

/** Adds a list to the root and to each workspace. */
export function addWorkspaceList(
  type: ResourceType,
  workspaceType: ObjectType<ReachableWorkspace>,
  resource: WorkspaceList,
): void {
  const { name, field, many, scope, search, list } = resource;
  const connection = connectionOf(type, name, many);
  const listArguments = { ...sortArgument, ...search };
  builder.queryField(field, (t) =>
    t.connection(
      {
        type,
        nullable: false,
        description: `The ${many} of a workspace. Needs the scope ${scope}.`,
        args: { ...listArguments, ...workspaceArgument },
        complexity: connectionComplexity,
        resolve: (_root, args, ctx, info) =>
          resolveList(args, info, (input) => list(ctx, { ...input, workspace: args.workspace })),
      },
      connection,
    ),
  );
  builder.objectField(workspaceType, field, (t) =>
    t.connection(
      {
        type,
        nullable: false,
        description: `Its ${many}. Needs the scope ${scope}.`,
        args: listArguments,
        complexity: connectionComplexity,
        resolve: (workspace, args, ctx, info) =>
          resolveList(args, info, (input) => list(ctx, { ...input, workspace: workspace.name, isOneOfMany: true })),
      },
      connection,
    ),
  );
}

interface NestedResource {
  name: string;
  /** The fields, and how a description names several: egressGateways, egressGateway, egress gateways. */
  field: string;
  one: string;
  many: string;
  scope: string;
  /** What a search looks through, in words. */
  searched: string;
  list: (ctx: RequestContext, owner: Found<unknown>, input: ListInput) => Promise<ResourcePage<unknown>>;
  get: (
    ctx: RequestContext,
    owner: Found<unknown>,
    name: string,
    columns: ReadonlySet<string>,
  ) => Promise<Found<unknown>>;
}

/** Adds the list, and one of it by name, to what they belong to. */
export function addNestedFields(type: ResourceType, owner: ResourceType, resource: NestedResource): void {
  const { name, field, one, many, scope, searched, list, get } = resource;
  const connection = connectionOf(type, name, many);
  builder.objectField(owner, one, (t) =>
    t.field({
      type,
      description: `One of its ${many} by name; null when there is none. Needs the scope ${scope}.`,
      args: { name: t.arg.string({ required: true }) },
      resolve: (parent, args, ctx, info) => orNull(get(ctx, parent, args.name, selectedColumns(selectedPaths(info)))),
    }),
  );
  builder.objectField(owner, field, (t) =>
    t.connection(
      {
        type,
        nullable: false,
        description: `Its ${many}. Needs the scope ${scope}.`,
        args: { ...sortArgument, ...searchArgument(searched) },
        complexity: connectionComplexity,
        resolve: (parent, args, ctx, info) =>
          resolveList(args, info, (input) => list(ctx, parent, { ...input, isOneOfMany: true })),
      },
      connection,
    ),
  );
}
