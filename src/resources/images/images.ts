import { authorizeAccount, authorizeScope, authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import type { GroupCount } from '../../store/read/grouping.js';
import type { AccountListInput, ListPage, NamedInput, WorkspaceListInput } from '../../store/read/list-input.js';
import { readGroups } from '../../store/read/read-groups.js';
import type { WorkspaceGroupsInput } from '../../store/read/read-groups.js';
import { readByIds, readByName, readWholeByName } from '../../store/read/read-one.js';
import { readPage } from '../../store/read/read-page.js';
import { imageKind, imageKindsByType } from './image.js';
import type { ImageResourceType, ImageRow, TaggedImageRow } from './image.js';

/** One page of a workspace's images. @throws 400 for an invalid cursor or search; 403. */
export async function listImages(
  ctx: RequestContext,
  { workspace, ...input }: WorkspaceListInput,
): Promise<ListPage<PartialResource<ImageRow>>> {
  const within = authorizeWorkspace(ctx, 'admin', workspace);
  return readPage(within, imageKind, input);
}

/** One page of the images in the accessible workspaces of an account. @throws 400, 403 like listImages. */
export async function listAccountImages(
  ctx: RequestContext,
  { accountId, ...input }: AccountListInput,
): Promise<ListPage<PartialResource<ImageRow>>> {
  const within = authorizeAccount(ctx, 'admin', accountId);
  return readPage(within, imageKind, input);
}

/** Counts the images of a workspace by the value of a field. @throws 400; 403. */
export async function countImages(
  ctx: RequestContext,
  { workspace, ...input }: WorkspaceGroupsInput,
): Promise<GroupCount[]> {
  const within = authorizeWorkspace(ctx, 'admin', workspace);
  return readGroups(within, imageKind, input);
}

/** One image by its resource type and name. @throws 403; 404 for an unknown name. */
export async function getImage(
  ctx: RequestContext,
  resourceType: ImageResourceType,
  { workspace, ...input }: NamedInput,
): Promise<PartialResource<ImageRow>> {
  const within = authorizeWorkspace(ctx, 'admin', workspace);
  return readByName(within, imageKindsByType[resourceType], input);
}

/**
 * One image with all its tags (specification, GET /images/{resourceType}/{imageName}).
 *
 * @throws 403 without `admin`, or if the workspace is not accessible; 404 for an unknown name.
 */
export async function getTaggedImage(
  ctx: RequestContext,
  resourceType: ImageResourceType,
  name: string,
): Promise<Resource<TaggedImageRow>> {
  const within = authorizeWorkspace(ctx, 'admin');
  return readWholeByName(within, imageKindsByType[resourceType], { name });
}

/** Images by id, in the order of the ids; null for ids that do not exist or are not accessible. @throws 403 */
export async function findImages(ctx: RequestContext, ids: readonly string[]): Promise<(Resource<ImageRow> | null)[]> {
  const within = authorizeScope(ctx, 'admin');
  return readByIds(within, imageKind, ids);
}
