import { Prisma } from '../../database/client/client.js';
import type { WorkKind } from '../../lifecycle/work-kinds.js';
import { egressIpRegionSql } from '../networks/egress-ip.js';
import { previewRegionSql } from '../sandboxes/preview.js';

const own = Prisma.sql`(r."spec"->>'region')`;

/** SQL of the region of a row `r` of each kind, which decides on its executors; NULL for a row without a region. */
export const regionsOfKinds: Record<WorkKind, Prisma.Sql> = {
  AGENT: own,
  SANDBOX: own,
  SANDBOX_PREVIEW: previewRegionSql,
  JOB: own,
  VOLUME: own,
  VPC: own,
  EGRESS_GATEWAY: own,
  EGRESS_IP: egressIpRegionSql,
};
