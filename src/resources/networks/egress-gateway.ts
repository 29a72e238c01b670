// An egress gateway, through which outbound traffic leaves a VPC.
import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import { namedCriteria } from '../../store/read/criteria.js';
import { optionalWordMatching, textMatching } from '../../store/read/criterion.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import { namedMetadataAnswer, status } from '../../schema/resource.js';
import type { CoreEvent, Status } from '../../schema/resource.js';
import { resourceKind } from '../../store/read/resource-kind.js';
import {
  eventsColumn,
  eventsFromRow,
  namedColumns,
  namedMetadata,
  namedMetadataColumns,
} from '../../store/read/resource-row.js';
import type { EventfulRow, NamedRow } from '../../store/read/resource-row.js';
import { asAlwaysPresent } from '../../schema/shape.js';
import { text } from '../../schema/text.js';

export const egressGatewayMetadata = namedMetadataAnswer
  .extend({ vpcName: asAlwaysPresent(text().optional().meta({ description: 'Name of the VPC.', readOnly: true })) })
  .meta({ id: 'EgressGatewayMetadata', description: 'Name and VPC of an egress gateway.' });

export const egressGatewaySpec = z
  .object({
    region: text().min(1).optional().meta({
      description: 'Region that traffic leaves from. Must be a region with egress. Immutable.',
      'x-immutable': true,
    }),
  })
  .meta({ id: 'EgressGatewaySpec', description: 'Desired state of an egress gateway.' });

export type EgressGatewaySpec = z.output<typeof egressGatewaySpec>;

export type EgressGatewayMetadata = z.output<typeof egressGatewayMetadata>;

export interface EgressGatewayRow extends NamedRow, EventfulRow {
  status: Status | null;
  spec: EgressGatewaySpec;
  vpcName: string;
  vpcId: string;
}

export const egressGatewayKind = resourceKind<EgressGatewayRow>('EGRESS_GATEWAY', {
  parent: Prisma.sql`r."vpc_id"`,
  columns: {
    ...namedColumns,
    vpcName: Prisma.sql`(SELECT v."name" FROM "vpc" AS v WHERE v."id" = r."vpc_id")`,
    vpcId: Prisma.sql`r."vpc_id"`,
    status: Prisma.sql`r."status"`,
    spec: Prisma.sql`r."spec"`,
    events: eventsColumn,
  },
  hasSearchIndex: false,
  criteria: {
    ...namedCriteria,
    status: optionalWordMatching('Status of the gateway.', status, Prisma.sql`r."status"::text`),
    region: textMatching('Region of the gateway.', Prisma.sql`(r."spec"->>'region')`),
  },
});

/** The columns that each metadata field is read from. */
export const egressGatewayMetadataColumns = { ...namedMetadataColumns, vpcName: ['vpcName'] } as const;

/** Returns the metadata of an egress gateway from the columns that were read. */
export function egressGatewayMetadataOf(
  { workspace }: Pick<PartialResource<EgressGatewayRow>, 'workspace'>,
  row: Partial<EgressGatewayRow> & { name: string },
): EgressGatewayMetadata {
  return { ...namedMetadata(workspace, row), vpcName: row.vpcName };
}

/** An egress gateway as it is printed. */
export interface EgressGateway {
  metadata: EgressGatewayMetadata;
  spec: EgressGatewaySpec;
  status?: Status | undefined;
  events?: CoreEvent[] | undefined;
}

export function egressGatewayFromRow(found: Pick<Resource<EgressGatewayRow>, 'workspace' | 'row'>): EgressGateway {
  const { row } = found;
  return {
    metadata: egressGatewayMetadataOf(found, row),
    spec: row.spec,
    status: row.status ?? undefined,
    events: eventsFromRow(row.events),
  };
}
