import { authorizeScope, authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import type { ListInput, ListPage } from '../../store/read/list-input.js';
import { readByIds, readByName } from '../../store/read/read-one.js';
import { readPage } from '../../store/read/read-page.js';
import type { ImageRow } from './image.js';
import { imageTagKind } from './image-tag.js';
import type { VersionedTagRow } from './image-tag.js';

/** One page of the tags of one image. @throws 400 for an invalid cursor or search; 403. */
export async function listImageTags(
  ctx: RequestContext,
  image: PartialResource<ImageRow>,
  input: ListInput,
): Promise<ListPage<PartialResource<VersionedTagRow>>> {
  const within = authorizeWorkspace(ctx, 'admin', image.workspace.name);
  return readPage(within, imageTagKind, input, image.id);
}

/** One tag by its name. @throws 403; 404 for an unknown name. */
export async function getImageTag(
  ctx: RequestContext,
  image: PartialResource<ImageRow>,
  input: { name: string; columns?: ReadonlySet<string> },
): Promise<PartialResource<VersionedTagRow>> {
  const within = authorizeWorkspace(ctx, 'admin', image.workspace.name);
  return readByName(within, imageTagKind, { ...input, parentId: image.id });
}

/** Tags by id, in the order of the ids; null for ids that do not exist or are not accessible. @throws 403 */
export async function findImageTags(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<(Resource<VersionedTagRow> | null)[]> {
  const within = authorizeScope(ctx, 'admin');
  return readByIds(within, imageTagKind, ids);
}
