import { z } from 'zod';
import { noParameters, word } from '../../rest/input.js';
import { route } from '../../rest/route.js';
import type { Route } from '../../rest/route.js';
import { resourceName } from '../resource.js';
import { image, imageResourceTypes } from './image.js';
import { imageShare } from './image-share.js';
import { declineShare } from './image-shares.js';
import { getImage } from './images.js';

export const imageRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/images/{resourceType}/{imageName}',
    operation: 'GetImage',
    summary: 'One container image, with all its tags, their dates and sizes.',
    scope: 'admin',
    isInWorkspace: true,
    parameters: z.object({ resourceType: word(imageResourceTypes), imageName: resourceName }),
    query: noParameters,
    body: image,
    errors: [404],
    answer: async ({ ctx, parameters: { resourceType, imageName } }) => ({
      body: (await getImage(ctx, resourceType, { name: imageName })).resource,
    }),
  }),
  route({
    method: 'POST',
    path: '/pending-image-shares/{pendingShareId}/decline',
    operation: 'DeclinePendingImageShare',
    summary: 'Declines a pending image share. The caller must be an admin of the target workspace.',
    scope: 'admin',
    isInWorkspace: false,
    parameters: z.object({ pendingShareId: z.string().meta({ description: 'metadata.id of the share.' }) }),
    query: noParameters,
    body: imageShare,
    errors: [404, 409],
    answer: async ({ ctx, parameters: { pendingShareId } }) => ({
      body: (await declineShare(ctx, pendingShareId)).resource,
    }),
  }),
];
