import { builder } from '../../graphql/builder.js';
import { EventfulInterface, ResourceInterface } from '../../graphql/resource.js';
import { foundId } from '../../graphql/resource-list.js';
import { addResourceFields } from '../../graphql/resource-fields.js';
import { WorkspaceType } from '../accounts/graphql.js';
import type { Found } from '../resource-kind.js';
import type { Vpc, VpcSpec } from './vpc.js';
import { findVpcs, getVpc, listVpcs } from './vpcs.js';

const VpcSpecType = builder.objectRef<VpcSpec>('VpcSpec').implement({
  description: 'What a VPC is meant to be.',
  fields: (t) => ({
    cidrBlock: t.exposeString('cidrBlock', { description: 'Addresses inside it, such as 10.20.0.0/16.' }),
    region: t.exposeString('region', { description: 'Region that it is in.' }),
  }),
});

export const VpcType = builder.node(builder.objectRef<Found<Vpc>>('Vpc'), {
  description: 'A private network, whose traffic leaves through its egress gateways. Needs the scope admin.',
  interfaces: [EventfulInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findVpcs(ctx, ids),
  fields: (t) => ({
    spec: t.field({ type: VpcSpecType, nullable: false, resolve: ({ resource }) => resource.spec }),
  }),
});

addResourceFields(VpcType, WorkspaceType, {
  name: 'Vpc',
  one: 'vpc',
  many: 'vpcs',
  scopes: { list: 'admin', get: 'admin' },
  list: listVpcs,
  get: getVpc,
});
