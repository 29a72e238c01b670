import { z } from 'zod';
import { findGlobalId } from '../../graphql/global-id.js';
import { redeployDocument } from '../kind-documents.js';
import { ToolError } from '../tool-call.js';
import { defineTool } from '../tool.js';
import { idempotencyInput, mapIn, payloadIn } from '../tool-result.js';

export const redeploy = defineTool({
  name: 'redeploy',
  title: 'Redeploy a resource',
  description:
    'Deploys one resource again without a change: after a failure, or to restart it. A resource that runs is ' +
    'interrupted: ask the user first. Follow its status with get_resource.',
  input: z.strictObject({
    id: z.string().max(200).describe('Global ID of the resource, from search, list_resources or get_resource.'),
    version: z.int().min(1).optional().describe('Fails if the resource has another version now.'),
    dryRun: z.boolean().default(false).describe('Whether to only check that it could be redeployed (default: false).'),
    idempotencyKey: idempotencyInput.describe(
      'Any unique text. A repeated call with the same key starts no second deployment.',
    ),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  run: async (call, { id, version, dryRun, idempotencyKey }) => {
    const type = findGlobalId(id)?.typename;
    const document = type && redeployDocument(type);
    if (document === undefined) {
      throw new ToolError('invalid_parameter', 'id is not the global id of a resource that this tool can redeploy.');
    }
    const variables = { input: { id, ifVersion: version, validateOnly: dryRun } };
    const { data } = await call.executeText(document, { variables, idempotencyKey });
    const { resource } = payloadIn(data['result']);
    return { dryRun, redeployed: { kind: type, ...mapIn(resource) } };
  },
});
