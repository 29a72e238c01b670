import { z } from 'zod';
import { noParameters } from '../input.js';
import { route } from '../route.js';
import type { Route } from '../route.js';
import { resourceName } from '../../../schema/resource.js';
import { preview, previewFromRow } from '../../../resources/sandboxes/preview.js';
import { deletePreview } from '../../../resources/sandboxes/preview-changes.js';

export const sandboxRoutes: Route[] = [
  route({
    method: 'DELETE',
    path: '/sandboxes/{sandboxName}/previews/{previewName}',
    operation: 'DeleteSandboxPreview',
    summary: 'Deletes a preview and returns its last state. The last of its events is the deletion.',
    scope: 'admin',
    isInWorkspace: true,
    parameters: z.object({ sandboxName: resourceName, previewName: resourceName }),
    query: noParameters,
    body: preview,
    example: {
      metadata: {
        name: 'review',
        displayName: 'Review of the new form',
        resourceName: 'customs-forms',
        resourceType: 'sandbox',
        workspace: 'meridian-production',
        createdAt: '2026-11-19T09:30:00.000Z',
        updatedAt: '2026-11-19T09:30:00.000Z',
      },
      spec: { port: 3000, public: true, ttl: '24h', url: 'https://review.preview.example.com' },
      events: [
        {
          time: '2026-11-20T09:30:00.000Z',
          type: 'deletion',
          status: 'DELETED',
          message: 'Deleted by ines.carvalho@meridian.example.com',
        },
      ],
    },
    errors: [404],
    answer: async ({ ctx, parameters }) => {
      const { sandboxName, previewName } = parameters;
      return { body: previewFromRow(await deletePreview(ctx, { sandbox: sandboxName, preview: previewName })) };
    },
  }),
];
