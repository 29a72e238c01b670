// An egress IP: an address allocated from an egress gateway for dedicated outbound traffic.
import { z } from 'zod';
import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { Prisma } from '../../database/client/client.js';
import { coreEvent } from '../resource.js';
import type { ResourceKind } from '../resource-kind.js';
import { eventsColumn, eventsFromRow, namedColumns, namedMetadata, namedMetadataAnswer } from '../resource-row.js';
import type { NamedRow } from '../resource-row.js';

export const egressIpSpec = z
  .object({
    ipFamily: z.string().optional().meta({ description: 'ipv4 or ipv6.' }),
    publicIp: z.string().optional(),
  })
  .meta({ id: 'EgressIpSpec' });

export type EgressIpSpec = z.output<typeof egressIpSpec>;

/** An egress IP as the specification prints it. */
export const egressIp = z
  .object({
    metadata: namedMetadataAnswer
      .extend({ gatewayName: z.string().optional(), vpcName: z.string().optional() })
      .meta({ id: 'EgressIpMetadata' }),
    spec: egressIpSpec,
    events: z.array(coreEvent).optional(),
  })
  .meta({ id: 'EgressIp' });

export type EgressIp = z.output<typeof egressIp>;

interface EgressIpRow extends NamedRow {
  spec?: EgressIpSpec;
  gatewayName?: string;
  vpcName?: string;
}

export const egressIpKind: ResourceKind<EgressIpRow, EgressIp> = {
  noun: 'egress IP',
  table: 'egress_ip',
  parent: Prisma.sql`r."egress_gateway_id"`,
  columns: {
    ...namedColumns,
    gatewayName: Prisma.sql`(SELECT g."name" FROM "egress_gateway" AS g WHERE g."id" = r."egress_gateway_id")`,
    vpcName: Prisma.sql`(
      SELECT v."name" FROM "egress_gateway" AS g JOIN "vpc" AS v ON v."id" = g."vpc_id"
      WHERE g."id" = r."egress_gateway_id")`,
    spec: Prisma.sql`r."spec"`,
    events: eventsColumn,
  },
  keyColumns: ['name'],
  isCounted: false,
  hasSearchIndex: false,
  fromRow: egressIpFromRow,
};

function egressIpFromRow(_ctx: RequestContext, workspace: ReachableWorkspace, row: EgressIpRow): EgressIp {
  const { gatewayName, vpcName } = row;
  return {
    metadata: { ...namedMetadata(workspace, row), gatewayName, vpcName },
    spec: row.spec ?? {},
    events: eventsFromRow(row.events),
  };
}
