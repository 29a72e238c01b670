import type { RequestContext } from '../../context.js';
import { nestedResources, workspaceResources } from '../authorized-list.js';
import type { Found, NamedInput } from '../resource-kind.js';
import { imageKind, imageKindOf } from './image.js';
import type { Image, ImageResourceType } from './image.js';
import { imageTagKind } from './image-tag.js';

const scopes = { list: 'admin', get: 'admin' } as const;

export const { list: listImages, find: findImages } = workspaceResources(imageKind, scopes);

/** Lists are of one image. */
export const { list: listImageTags, get: getImageTag, find: findImageTags } = nestedResources(imageTagKind, 'admin');

const imagesByType = {
  agents: workspaceResources(imageKindOf('agents'), scopes),
  functions: workspaceResources(imageKindOf('functions'), scopes),
  sandboxes: workspaceResources(imageKindOf('sandboxes'), scopes),
  jobs: workspaceResources(imageKindOf('jobs'), scopes),
};

/**
 * One image with all its tags (specification, GET /images/{resourceType}/{imageName}).
 *
 * @throws 403 without `admin` or out of reach; 404 for an unknown name.
 */
export async function getImage(
  ctx: RequestContext,
  resourceType: ImageResourceType,
  input: NamedInput,
): Promise<Found<Image>> {
  return imagesByType[resourceType].get(ctx, input);
}
