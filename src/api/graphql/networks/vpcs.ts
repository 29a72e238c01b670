import { withReference } from '../reference.js';
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
import { addCreateMutation, addDeleteMutation, addRedeployMutation, addUpdateMutation } from '../resource-mutations.js';
import { addResourceQueries } from '../resource-queries.js';
import { inputType, updateInputType } from '../shape-input.js';
import { metadata } from '../../../schema/resource.js';
import { createVpc, deleteVpc, redeployVpc, updateVpc } from '../../../resources/networks/vpc-changes.js';

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

addCreateMutation('VPC', {
  type: VpcType,
  scopes: [['admin']],
  description: 'Creates a VPC.',
  input: (t) => ({
    metadata: t.field({ type: inputType(metadata), required: true, description: 'Name, display name and labels.' }),
    spec: t.field({ type: inputType(vpcSpec), description: 'Desired configuration.' }),
  }),
  run: (ctx, input) => createVpc(ctx, input),
});

addUpdateMutation('VPC', {
  type: VpcType,
  scopes: [['admin']],
  description: 'Updates a VPC.',
  input: (t) => ({
    metadata: t.field({ type: updateInputType(metadata), description: 'Display name and labels.' }),
    spec: t.field({ type: updateInputType(vpcSpec), description: 'Desired configuration.' }),
  }),
  run: (ctx, input) => updateVpc(ctx, withReference('Vpc', input)),
});

addDeleteMutation('VPC', {
  type: VpcType,
  scopes: [['admin']],
  description: 'Deletes a VPC that has no egress gateways.',
  input: () => ({}),
  run: (ctx, input) => deleteVpc(ctx, withReference('Vpc', input)),
});

addRedeployMutation('VPC', {
  type: VpcType,
  scopes: [['admin']],
  input: () => ({}),
  run: (ctx, input) => redeployVpc(ctx, withReference('Vpc', input)),
});
