import { builder } from '../builder.js';
import { NamedInterface } from '../named.js';
import { EventfulInterface, ResourceInterface } from '../resource.js';
import { foundId } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { objectType } from '../shape-type.js';
import type { PartialResource } from '../../../store/read/resource.js';
import { specifiedGroupings } from '../../../store/read/grouping.js';
import { vpcKind, vpcSpec } from '../../../resources/networks/vpc.js';
import type { VpcRow } from '../../../resources/networks/vpc.js';
import { findResources } from '../../../resources/resource-reads.js';
import { addSpecifiedMutations } from '../resource-mutations.js';
import { addResourceQueries } from '../resource-queries.js';
import { writableVpcs } from '../../../resources/networks/vpc-changes.js';

const VpcSpecType = objectType(vpcSpec);

const vpc = rowFields<VpcRow>();

export const VpcType = builder.node(builder.objectRef<PartialResource<VpcRow>>('Vpc'), {
  description: 'A private network. Its outbound traffic uses its egress gateways.',
  interfaces: [EventfulInterface, NamedInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findResources(ctx, vpcKind, ids),
  fields: (t) => ({
    spec: t.field({ type: VpcSpecType, nullable: false, ...vpc.of(['spec'], ({ spec }) => spec) }),
  }),
});

addResourceQueries('VPC', { type: VpcType, kind: vpcKind, many: 'VPCs', groupings: specifiedGroupings });

addSpecifiedMutations(writableVpcs, {
  type: VpcType,
  spec: vpcSpec,
  deletion: 'Deletes a VPC that has no egress gateways.',
});
