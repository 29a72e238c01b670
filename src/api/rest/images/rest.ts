import { z } from 'zod';
import { noParameters, word } from '../input.js';
import { route } from '../route.js';
import type { Route } from '../route.js';
import { resourceName } from '../../../schema/resource.js';
import { image, imageFromRow, imageResourceTypes } from '../../../resources/images/image.js';
import { imageShare, shareFromRow } from '../../../resources/images/image-share.js';
import { declineShare } from '../../../resources/images/image-share-changes.js';
import { getTaggedImage } from '../../../resources/images/images.js';

export const imageRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/images/{resourceType}/{imageName}',
    operation: 'GetImage',
    summary: 'Returns a container image with all its tags, their timestamps and sizes.',
    scope: 'admin',
    isInWorkspace: true,
    parameters: z.object({ resourceType: word(imageResourceTypes), imageName: resourceName }),
    query: noParameters,
    body: image,
    example: {
      metadata: {
        name: 'customs-classifier',
        resourceType: 'agents',
        workspace: 'meridian-production',
        createdAt: '2026-03-02T08:00:00.000Z',
        updatedAt: '2026-11-19T16:20:00.000Z',
        lastDeployedAt: '2026-11-19T16:24:00.000Z',
        events: [],
      },
      spec: {
        size: 412_090_368,
        tags: [
          {
            name: 'r17',
            size: 412_090_368,
            createdAt: '2026-11-19T16:20:00.000Z',
            updatedAt: '2026-11-19T16:20:00.000Z',
          },
        ],
      },
    },
    errors: [404],
    answer: async ({ ctx, parameters: { resourceType, imageName } }) => ({
      body: imageFromRow(await getTaggedImage(ctx, resourceType, imageName)),
    }),
  }),
  route({
    method: 'POST',
    path: '/pending-image-shares/{pendingShareId}/decline',
    operation: 'DeclinePendingImageShare',
    summary: 'Declines a pending image share. The caller must be an admin of the target workspace.',
    scope: 'admin',
    isInWorkspace: false,
    parameters: z.object({ pendingShareId: z.string().meta({ description: 'ID of the share (metadata.id).' }) }),
    query: noParameters,
    body: imageShare,
    example: {
      metadata: {
        id: '0198a5f0-3c1e-7d52-9b1f-6f1f6d9c2a11',
        workspace: 'meridian-production',
        sourceAccount: 'tidewater-labs',
        sourceWorkspace: 'tidewater',
        createdAt: '2026-11-18T10:00:00.000Z',
        updatedAt: '2026-11-20T09:30:00.000Z',
        decidedAt: '2026-11-20T09:30:00.000Z',
        decidedBy: 'ines.carvalho@meridian.example.com',
      },
      spec: { resourceType: 'sandboxes', imageName: 'tide-tables' },
      status: 'declined',
      events: [],
    },
    errors: [404, 409],
    answer: async ({ ctx, parameters: { pendingShareId } }) => ({
      body: shareFromRow(await declineShare(ctx, { id: pendingShareId })),
    }),
  }),
];
