import { z } from 'zod';
import { noParameters } from '../../rest/input.js';
import { route } from '../../rest/route.js';
import type { Route } from '../../rest/route.js';
import { resourceName } from '../resource.js';
import { preview } from './preview.js';
import { deletePreview } from './previews.js';

export const sandboxRoutes: Route[] = [
  route({
    method: 'DELETE',
    path: '/sandboxes/{sandboxName}/previews/{previewName}',
    operation: 'DeleteSandboxPreview',
    summary: 'Deletes a preview, and answers with it as it was, its events ending with the deletion.',
    scope: 'admin',
    isInWorkspace: true,
    parameters: z.object({ sandboxName: resourceName, previewName: resourceName }),
    query: noParameters,
    body: preview,
    errors: [404],
    answer: async ({ ctx, parameters }) => {
      const { sandboxName, previewName } = parameters;
      return { body: (await deletePreview(ctx, { sandbox: sandboxName, preview: previewName })).resource };
    },
  }),
];
