import { z } from 'zod';
import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { resourceFromRow } from '../resource-row.js';
import type { SpecifiedResource, SpecifiedRow } from '../resource-row.js';

export const volumeSpec = z.object({
  /** Where it lives: workloads of the same region can attach it. */
  region: z.string().min(1),
  sizeMb: z.int().min(1),
});

export type VolumeSpec = z.output<typeof volumeSpec>;

export type Volume = SpecifiedResource<VolumeSpec>;

export type VolumeRow = SpecifiedRow<VolumeSpec>;

export function volumeFromRow(_ctx: RequestContext, workspace: ReachableWorkspace, row: VolumeRow): Volume {
  return resourceFromRow(workspace, row, row.spec ?? { region: '', sizeMb: 0 });
}
