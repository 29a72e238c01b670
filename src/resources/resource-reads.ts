// The reads of every resource kind. The scope follows from the registry, and the columns, the search and the filter from
// the list definition of the kind.
import { authorizeAccount, authorizeScope, authorizeWorkspace } from '../auth/authorize.js';
import type { AuthorizedWorkspace } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { orderedByCost } from '../billing/cost-order.js';
import type { UsageContext } from '../metering/usage-memory.js';
import { resourceKinds } from '../resource-kinds.js';
import type { GroupCount } from '../store/read/grouping.js';
import type {
  AccountListInput,
  ListInput,
  ListPage,
  NamedInput,
  WorkspaceListInput,
} from '../store/read/list-input.js';
import { readGroups } from '../store/read/read-groups.js';
import type { GroupsInput, WorkspaceGroupsInput } from '../store/read/read-groups.js';
import { readByIds, readByName } from '../store/read/read-one.js';
import { readPage } from '../store/read/read-page.js';
import type { ResourceKind } from '../store/read/resource-kind.js';
import type { PartialResource, Resource } from '../store/read/resource.js';

/** One page of the resources of a workspace. @throws 400 for an invalid cursor, search, filter or order; 403. */
export async function listResources<Row extends object>(
  ctx: UsageContext,
  kind: ResourceKind<Row>,
  { workspace, ...input }: WorkspaceListInput,
): Promise<ListPage<PartialResource<Row>>> {
  const within = authorizeWorkspace(ctx, resourceKinds[kind.name].scopes.list, workspace);
  return readPage(within, kind, ordered(ctx, kind, within.account.id, input));
}

/** One page of the resources in the accessible workspaces of an account. @throws 400, 403 like listResources(). */
export async function listAccountResources<Row extends object>(
  ctx: UsageContext,
  kind: ResourceKind<Row>,
  { accountId, ...input }: AccountListInput,
): Promise<ListPage<PartialResource<Row>>> {
  const within = authorizeAccount(ctx, resourceKinds[kind.name].scopes.list, accountId);
  return readPage(within, kind, ordered(ctx, kind, accountId, input));
}

/** Counts the resources of a workspace by the value of a field. @throws 400; 403. */
export async function countResources<Row extends object>(
  ctx: RequestContext,
  kind: ResourceKind<Row>,
  { workspace, ...input }: WorkspaceGroupsInput,
): Promise<GroupCount[]> {
  const within = authorizeWorkspace(ctx, resourceKinds[kind.name].scopes.list, workspace);
  return readGroups(within, kind, input);
}

/** One resource of a workspace by its name. @throws 403; 404 for an unknown name. */
export async function getResource<Row extends object>(
  ctx: RequestContext,
  kind: ResourceKind<Row>,
  { workspace, ...input }: NamedInput,
): Promise<PartialResource<Row>> {
  const within = authorizeWorkspace(ctx, resourceKinds[kind.name].scopes.get, workspace);
  return readByName(within, kind, input);
}

/** Resources by id, in the order of the ids; null for ids that do not exist or are not accessible. @throws 403 */
export async function findResources<Row extends object>(
  ctx: RequestContext,
  kind: ResourceKind<Row>,
  ids: readonly string[],
): Promise<(Resource<Row> | null)[]> {
  const within = authorizeScope(ctx, resourceKinds[kind.name].scopes.get);
  return readByIds(within, kind, ids);
}

/** A resource that contains others. */
type Parent = PartialResource<object>;

/** One page of the resources in a resource, such as the previews of a sandbox. @throws 400, 403 like listResources(). */
export async function listChildren<Row extends object>(
  ctx: RequestContext,
  kind: ResourceKind<Row>,
  parent: Parent,
  input: ListInput,
): Promise<ListPage<PartialResource<Row>>> {
  return readPage(authorizeList(ctx, kind, parent), kind, input, parent.id);
}

/** Counts the resources in a resource by the value of a field. @throws 400; 403. */
export async function countChildren<Row extends object>(
  ctx: RequestContext,
  kind: ResourceKind<Row>,
  parent: Parent,
  input: GroupsInput,
): Promise<GroupCount[]> {
  return readGroups(authorizeList(ctx, kind, parent), kind, input, parent.id);
}

/** One of the resources in a resource by its name. @throws 403; 404 for an unknown name. */
export async function getChild<Row extends object>(
  ctx: RequestContext,
  kind: ResourceKind<Row>,
  parent: Parent,
  input: Omit<NamedInput, 'workspace'>,
): Promise<PartialResource<Row>> {
  const within = authorizeWorkspace(ctx, resourceKinds[kind.name].scopes.get, parent.workspace.name);
  return readByName(within, kind, { ...input, parentId: parent.id });
}

function authorizeList(ctx: RequestContext, kind: ResourceKind<object>, { workspace }: Parent): AuthorizedWorkspace {
  return authorizeWorkspace(ctx, resourceKinds[kind.name].scopes.list, workspace.name);
}

/** Kinds that usage is recorded for can be ordered by cost. */
function ordered<Input extends ListInput>(
  ctx: UsageContext,
  kind: ResourceKind<object>,
  accountId: string,
  input: Input,
): Input {
  return resourceKinds[kind.name].isBilled ? orderedByCost(ctx, accountId, input) : input;
}
