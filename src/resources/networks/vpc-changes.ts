import { Prisma } from '../../database/client/client.js';
import { specifiedInput } from '../specified-changes.js';
import type { SpecifiedKind } from '../specified-changes.js';
import { regionPrecondition } from '../../store/write/region-precondition.js';
import { resourceFromRow } from '../../store/read/resource-row.js';
import { specifiedColumnsOf } from '../../store/write/row-columns.js';
import { requireUnused } from '../../store/write/unused.js';
import { vpcKind, vpcSpec } from './vpc.js';
import type { VpcSpec } from './vpc.js';

/** The region of a VPC never changes. Only VPCs without egress gateways can be deleted. */
export const writableVpcs: SpecifiedKind<VpcSpec> = {
  kind: vpcKind,
  // The specification has no scope for networks.
  scopes: { create: 'admin', update: 'admin', delete: 'admin' },
  input: specifiedInput(vpcSpec),
  columnsOf: specifiedColumnsOf,
  shown: (vpc) => resourceFromRow(vpc, vpc.row.spec),
  preconditionOf: regionPrecondition,
  checkDeletion: (within, { id, row: { name } }) => {
    const gateways = Prisma.sql`SELECT 'EGRESS_GATEWAY' AS "kind", "name" FROM "egress_gateway" WHERE "vpc_id" = ${id}::uuid`;
    return requireUnused(within, { label: vpcKind.label, name }, gateways);
  },
};
