import { authorizeWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { nestedResources } from '../authorized-list.js';
import { deleteResource } from '../resource-deletion.js';
import type { Found } from '../resource-kind.js';
import { previewKind } from './preview.js';
import type { Preview } from './preview.js';
import { getSandbox } from './sandboxes.js';

export const { list: listPreviews, get: getPreview, find: findPreviews } = nestedResources(previewKind, 'admin');

/**
 * Deletes a preview (specification, DELETE /sandboxes/{sandboxName}/previews/{previewName}).
 *
 * @returns it as it was, its events ending with the deletion.
 * @throws 403 without `admin` or out of reach; 404 for an unknown sandbox or preview.
 */
export async function deletePreview(
  ctx: RequestContext,
  input: { workspace?: string | null | undefined; sandbox: string; preview: string },
): Promise<Found<Preview>> {
  const workspace = authorizeWorkspace(ctx, 'admin', input.workspace);
  const sandbox = await getSandbox(ctx, { workspace: workspace.name, name: input.sandbox, columns: new Set() });
  return deleteResource(ctx, previewKind, sandbox, input.preview);
}
