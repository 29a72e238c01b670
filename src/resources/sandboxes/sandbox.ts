import { z } from 'zod';
import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { resourceAnswer } from '../resource.js';
import { endpointUrl, resourceFromRow } from '../resource-row.js';
import type { SpecifiedResource, SpecifiedRow } from '../resource-row.js';
import { maskedRuntime, runtime, volumeAttachment } from '../runtime.js';

export const sandboxSpec = z
  .object({
    enabled: z.boolean().default(true),
    region: z.string().optional(),
    runtime: runtime.optional(),
    volumes: z.array(volumeAttachment).optional(),
  })
  .meta({ id: 'SandboxSpec' });

export type SandboxSpec = z.output<typeof sandboxSpec>;

export const sandbox = resourceAnswer('Sandbox', sandboxSpec);

export type Sandbox = SpecifiedResource<SandboxSpec>;

export type SandboxRow = SpecifiedRow<SandboxSpec>;

export function sandboxFromRow(ctx: RequestContext, workspace: ReachableWorkspace, row: SandboxRow): Sandbox {
  const { runtime: given, ...rest } = row.spec ?? { enabled: true };
  const spec = { ...rest, runtime: given && maskedRuntime(given) };
  return resourceFromRow(workspace, row, spec, endpointUrl(ctx, workspace, 'sandboxes', row.name));
}
