import { z } from 'zod';
import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { resourceFromRow } from '../resource-row.js';
import type { SpecifiedResource, SpecifiedRow } from '../resource-row.js';

export const vpcSpec = z.object({ cidrBlock: z.cidrv4().optional(), region: z.string().optional() });

export type VpcSpec = z.output<typeof vpcSpec>;

/** A private network, whose traffic leaves through its egress gateways. */
export type Vpc = SpecifiedResource<VpcSpec>;

export type VpcRow = SpecifiedRow<VpcSpec>;

export function vpcFromRow(_ctx: RequestContext, workspace: ReachableWorkspace, row: VpcRow): Vpc {
  return resourceFromRow(workspace, row, row.spec ?? {});
}
