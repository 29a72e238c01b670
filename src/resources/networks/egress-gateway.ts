// An egress gateway: what outbound traffic of a VPC leaves through.
import { z } from 'zod';
import type { ReachableWorkspace } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { Prisma } from '../../database/client/client.js';
import type { CoreEvent, Status } from '../resource.js';
import type { ResourceKind } from '../resource-kind.js';
import { eventsColumn, eventsFromRow, namedColumns, namedMetadata } from '../resource-row.js';
import type { NamedMetadata, NamedRow } from '../resource-row.js';

export const egressGatewaySpec = z.object({ region: z.string().optional() });

export type EgressGatewaySpec = z.output<typeof egressGatewaySpec>;

export interface EgressGateway {
  metadata: NamedMetadata & { vpcName?: string | undefined };
  spec: EgressGatewaySpec;
  status?: Status | undefined;
  events?: CoreEvent[] | undefined;
}

interface EgressGatewayRow extends NamedRow {
  status?: Status | null;
  spec?: EgressGatewaySpec;
  vpcName?: string;
}

export const egressGatewayKind: ResourceKind<EgressGatewayRow, EgressGateway> = {
  noun: 'egress gateway',
  table: 'egress_gateway',
  parent: Prisma.sql`r."vpc_id"`,
  columns: {
    ...namedColumns,
    vpcName: Prisma.sql`(SELECT v."name" FROM "vpc" AS v WHERE v."id" = r."vpc_id")`,
    status: Prisma.sql`r."status"`,
    spec: Prisma.sql`r."spec"`,
    events: eventsColumn,
  },
  keyColumns: ['name'],
  isCounted: false,
  hasSearchIndex: false,
  fromRow: gatewayFromRow,
};

function gatewayFromRow(_ctx: RequestContext, workspace: ReachableWorkspace, row: EgressGatewayRow): EgressGateway {
  return {
    metadata: { ...namedMetadata(workspace, row), vpcName: row.vpcName },
    spec: row.spec ?? {},
    status: row.status ?? undefined,
    events: eventsFromRow(row.events),
  };
}
