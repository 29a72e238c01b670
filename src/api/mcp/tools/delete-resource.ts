import { z } from 'zod';
import { findGlobalId } from '../../graphql/global-id.js';
import { deleteDocument } from '../kind-documents.js';
import { ToolError } from '../tool-call.js';
import { defineTool } from '../tool.js';
import { mapIn, payloadIn } from '../tool-result.js';

export const deleteResource = defineTool({
  name: 'delete_resource',
  title: 'Delete a resource',
  description:
    'Deletes one resource, with everything inside it. This cannot be undone: ask the user first. It needs the version ' +
    'that the user has seen, and fails if the resource has changed since. Workspaces cannot be deleted with this tool.',
  input: z.strictObject({
    id: z.string().max(200).describe('Global ID of the resource, from search, list_resources or get_resource.'),
    version: z.int().min(1).describe('Current version of the resource, from list_resources or get_resource.'),
    dryRun: z.boolean().default(false).describe('Whether to only check that it could be deleted (default: false).'),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: async (call, { id, version, dryRun }) => {
    const type = findGlobalId(id)?.typename;
    const document = type && deleteDocument(type);
    if (document === undefined) {
      throw new ToolError('invalid_parameter', 'id is not the global id of a resource that this tool can delete.');
    }
    const variables = { input: { id, ifVersion: version, validateOnly: dryRun } };
    const { data } = await call.executeText(document, { variables });
    const { resource } = payloadIn(data['result']);
    return { dryRun, deleted: { kind: type, ...mapIn(resource) } };
  },
});
