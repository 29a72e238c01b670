import { z } from 'zod';
import { specifiedCriteria } from '../../store/read/criteria.js';
import { resourceKind } from '../../store/read/resource-kind.js';
import { specifiedColumns } from '../../store/read/resource-row.js';
import type { SpecifiedRow } from '../../store/read/resource-row.js';
import { text } from '../../schema/text.js';

export const vpcSpec = z
  .object({
    cidrBlock: z.cidrv4().optional().meta({ description: 'CIDR block of the VPC, such as 10.20.0.0/16.' }),
    region: text().min(1).optional().meta({ description: 'Region of the VPC. Immutable.', 'x-immutable': true }),
  })
  .meta({ id: 'VpcSpec', description: 'Desired state of a VPC.' });

export type VpcSpec = z.output<typeof vpcSpec>;

export type VpcRow = SpecifiedRow<VpcSpec>;

export const vpcKind = resourceKind<VpcRow>('VPC', {
  columns: specifiedColumns,
  hasSearchIndex: true,
  hasIndexedValues: true,
  criteria: specifiedCriteria,
});
