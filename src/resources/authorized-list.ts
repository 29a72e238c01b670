// What a caller can ask of a kind of resource. Each function authorises first: by scope, and by the
// workspace, or by the resource that a list hangs on, which the caller has reached already.
import { authorizeWorkspace, requireScope } from '../access/caller.js';
import type { Scope } from '../access/scopes.js';
import type { RequestContext } from '../context.js';
import type {
  Found,
  ListInput,
  ListOwner,
  NamedInput,
  ResourceKeys,
  ResourceKind,
  ResourcePage,
  WorkspaceListInput,
} from './resource-kind.js';
import { resourceList } from './resource-list.js';

/** Resources by id, in the order of the ids; null for what does not exist or is out of reach. @throws 403 */
type Find<Resource> = (ctx: RequestContext, ids: readonly string[]) => Promise<(Found<Resource> | null)[]>;

export interface WorkspaceResources<Resource> {
  /** One page of a workspace's list. @throws 400 for a cursor or a search that breaks a rule; 403. */
  list: (ctx: RequestContext, input: WorkspaceListInput) => Promise<ResourcePage<Resource>>;
  /** The whole list of the request's workspace, newest first, chunk by chunk. @throws 403 */
  listAll: (ctx: RequestContext) => AsyncGenerator<Resource[]>;
  /** One resource by its name. @throws 403; 404 for an unknown name. */
  get: (ctx: RequestContext, input: NamedInput) => Promise<Found<Resource>>;
  find: Find<Resource>;
}

/** Of resources that stand in a workspace by themselves. */
export function workspaceResources<Row extends ResourceKeys, Resource>(
  kind: ResourceKind<Row, Resource>,
  scopes: { list: Scope; get: Scope },
): WorkspaceResources<Resource> {
  const resources = resourceList(kind);
  return {
    list: async (ctx, input) => {
      const workspace = authorizeWorkspace(ctx, scopes.list, input.workspace);
      return resources.page(ctx, { workspace, id: workspace.id }, input);
    },
    listAll: (ctx) => {
      const workspace = authorizeWorkspace(ctx, scopes.list);
      return resources.all(ctx, { workspace, id: workspace.id });
    },
    get: async (ctx, input) => {
      const workspace = authorizeWorkspace(ctx, scopes.get, input.workspace);
      return resources.byName(ctx, { workspace, id: workspace.id }, input.name, input.columns);
    },
    find: async (ctx, ids) => {
      requireScope(ctx.caller, scopes.get);
      return resources.byIds(ctx, ids);
    },
  };
}

export interface NestedResources<Resource> {
  /** One page of the list of a resource. @throws 400 for a cursor or a search that breaks a rule; 403. */
  list: (ctx: RequestContext, owner: ListOwner, input: ListInput) => Promise<ResourcePage<Resource>>;
  /** One of them by its name. @throws 403; 404 for an unknown name. */
  get: (ctx: RequestContext, owner: ListOwner, name: string, columns?: ReadonlySet<string>) => Promise<Found<Resource>>;
  find: Find<Resource>;
}

/** Of resources that belong to another one. */
export function nestedResources<Row extends ResourceKeys, Resource>(
  kind: ResourceKind<Row, Resource>,
  scope: Scope,
): NestedResources<Resource> {
  const resources = resourceList(kind);
  return {
    list: async (ctx, owner, input) => {
      requireScope(ctx.caller, scope);
      return resources.page(ctx, owner, input);
    },
    get: async (ctx, owner, name, columns) => {
      requireScope(ctx.caller, scope);
      return resources.byName(ctx, owner, name, columns);
    },
    find: async (ctx, ids) => {
      requireScope(ctx.caller, scope);
      return resources.byIds(ctx, ids);
    },
  };
}
