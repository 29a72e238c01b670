// An egress IP: an address allocated from an egress gateway for dedicated outbound traffic.
import { z } from 'zod';
import { Prisma } from '../../database/client/client.js';
import { namedCriteria } from '../../store/read/criteria.js';
import { textMatching } from '../../store/read/criterion.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import { coreEvent, namedMetadataAnswer } from '../../schema/resource.js';
import { resourceKind } from '../../store/read/resource-kind.js';
import {
  eventsColumn,
  eventsFromRow,
  namedColumns,
  namedMetadata,
  namedMetadataColumns,
} from '../../store/read/resource-row.js';
import type { EventfulRow, NamedRow } from '../../store/read/resource-row.js';
import { refuse, unlessMistyped } from '../../schema/rule.js';
import { asAlwaysPresent } from '../../schema/shape.js';
import { text } from '../../schema/text.js';

const metadataIdentity = { id: 'EgressIpMetadata', description: 'Name, egress gateway and VPC of an egress IP.' };

export const egressIpMetadata = namedMetadataAnswer
  .extend({
    gatewayName: asAlwaysPresent(
      text().optional().meta({ description: 'Name of the egress gateway.', readOnly: true }),
    ),
    vpcName: asAlwaysPresent(text().optional().meta({ description: 'Name of the VPC.', readOnly: true })),
  })
  .meta(metadataIdentity);

/** The metadata of an egress IP in the specification. */
const specifiedMetadata = egressIpMetadata.omit({ protected: true }).meta(metadataIdentity);

export const egressIpSpec = z
  .object({
    ipFamily: text()
      .optional()
      .meta({ description: 'IP family: ipv4 or ipv6 (default: ipv4). Immutable.', 'x-immutable': true }),
    publicIp: text().optional().meta({ description: 'Public IP address.', readOnly: true }),
  })
  .meta({ id: 'EgressIpSpec', description: 'Address of an egress IP.' });

export type EgressIpSpec = z.output<typeof egressIpSpec>;

const families = ['ipv4', 'ipv6'];

/** The spec of an input, with a known IP family. */
export const checkedEgressIpSpec = egressIpSpec
  .superRefine(({ ipFamily = 'ipv4' }, rules) => {
    if (families.includes(ipFamily)) return;
    refuse(rules, ['ipFamily'], 'invalid_value', `must be one of: ${families.join(', ')}`);
  }, unlessMistyped('ipFamily'))
  .transform((spec) => ({ ...spec, ipFamily: spec.ipFamily ?? 'ipv4' }));

/** An egress IP as the specification prints it. */
export const egressIp = z
  .object({ metadata: specifiedMetadata, spec: egressIpSpec, events: z.array(coreEvent).optional() })
  .meta({ id: 'EgressIp', description: 'An IP address for dedicated outbound traffic.' });

export type EgressIp = z.output<typeof egressIp>;

export interface EgressIpRow extends NamedRow, EventfulRow {
  spec: EgressIpSpec;
  gatewayName: string;
  gatewayId: string;
  vpcName: string;
}

/** SQL of the region of an IP `r`: that of its gateway. */
export const egressIpRegionSql = Prisma.sql`(
  SELECT g."spec"->>'region' FROM "egress_gateway" AS g WHERE g."id" = r."egress_gateway_id")`;

export const egressIpKind = resourceKind<EgressIpRow>('EGRESS_IP', {
  parent: Prisma.sql`r."egress_gateway_id"`,
  columns: {
    ...namedColumns,
    gatewayName: Prisma.sql`(SELECT g."name" FROM "egress_gateway" AS g WHERE g."id" = r."egress_gateway_id")`,
    gatewayId: Prisma.sql`r."egress_gateway_id"`,
    vpcName: Prisma.sql`(
      SELECT v."name" FROM "egress_gateway" AS g JOIN "vpc" AS v ON v."id" = g."vpc_id"
      WHERE g."id" = r."egress_gateway_id")`,
    spec: Prisma.sql`r."spec"`,
    events: eventsColumn,
  },
  hasSearchIndex: false,
  criteria: {
    ...namedCriteria,
    publicIp: textMatching('Public IP address.', Prisma.sql`(r."spec"->>'publicIp')`),
  },
});

/** The columns that each metadata field is read from. */
export const egressIpMetadataColumns = {
  ...namedMetadataColumns,
  gatewayName: ['gatewayName'],
  vpcName: ['vpcName'],
} as const;

/** Returns the metadata of an egress IP from the columns that were read. */
export function egressIpMetadataOf(
  { workspace }: Pick<PartialResource<EgressIpRow>, 'workspace'>,
  row: Partial<EgressIpRow> & { name: string },
): EgressIp['metadata'] {
  return { ...namedMetadata(workspace, row), gatewayName: row.gatewayName, vpcName: row.vpcName };
}

export function egressIpFromRow(found: Pick<Resource<EgressIpRow>, 'workspace' | 'row'>): EgressIp {
  const { row } = found;
  return { metadata: egressIpMetadataOf(found, row), spec: row.spec, events: eventsFromRow(row.events) };
}
