import { authorizeWorkspace } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import type { Resource } from '../../store/read/resource.js';
import { readWholeByName } from '../../store/read/read-one.js';
import { imageKindsByType } from './image.js';
import type { ImageResourceType, TaggedImageRow } from './image.js';

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
