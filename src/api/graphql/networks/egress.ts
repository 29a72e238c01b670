import { referenceOf, parentNameField } from '../reference.js';
import type { ReferenceInput } from '../reference.js';
import { builder } from '../builder.js';
import { NamedInterface } from '../named.js';
import { EventfulInterface, NamedMetadataInterface, StatusEnum, statusDescription } from '../resource.js';
import { namedListArguments } from '../resource-fields.js';
import { foundId, resourceOrderArgument, searchArgument } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { objectType } from '../shape-type.js';
import type { PartialResource } from '../../../store/read/resource.js';
import { gatewayGroupings, ipGroupings } from '../../../store/read/grouping.js';
import { workspaceEdge } from '../accounts/accounts.js';
import { creatorEdge, updaterEdge } from '../accounts/authors.js';
import {
  egressGatewayMetadata,
  egressGatewayMetadataColumns,
  egressGatewayMetadataOf,
  egressGatewaySpec,
} from '../../../resources/networks/egress-gateway.js';
import { egressGatewayKind } from '../../../resources/networks/egress-gateway.js';
import type { EgressGatewayRow } from '../../../resources/networks/egress-gateway.js';
import { findResources } from '../../../resources/resource-reads.js';
import { addChildQueries } from '../resource-queries.js';
import {
  egressIpKind,
  egressIpMetadata,
  egressIpMetadataColumns,
  egressIpMetadataOf,
  egressIpSpec,
} from '../../../resources/networks/egress-ip.js';
import type { EgressIpRow } from '../../../resources/networks/egress-ip.js';
import { VpcType } from './vpcs.js';
import { vpcKind } from '../../../resources/networks/vpc.js';
import { addCreateMutation, addDeleteMutation, addRedeployMutation, addUpdateMutation } from '../resource-mutations.js';
import { inputType, updateInputType } from '../shape-input.js';
import {
  createEgressGateway,
  deleteEgressGateway,
  redeployEgressGateway,
  updateEgressGateway,
} from '../../../resources/networks/egress-gateway-changes.js';
import { createEgressIp, deleteEgressIp, updateEgressIp } from '../../../resources/networks/egress-ip-changes.js';

const GatewayMetadataType = objectType(egressGatewayMetadata, [NamedMetadataInterface]);

const GatewaySpecType = objectType(egressGatewaySpec);

const gateway = rowFields<EgressGatewayRow>();

export const GatewayType = builder.node(builder.objectRef<PartialResource<EgressGatewayRow>>('EgressGateway'), {
  description: 'A gateway for the outbound traffic of a VPC.',
  interfaces: [EventfulInterface, NamedInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findResources(ctx, egressGatewayKind, ids),
  fields: (t) => ({
    vpc: t.field({
      type: VpcType,
      description: 'The VPC of the gateway.',
      ...gateway.owner('vpcId', vpcKind),
    }),
    workspace: t.field(workspaceEdge),
    creator: t.field(creatorEdge),
    updater: t.field(updaterEdge),
    metadata: t.field({
      type: GatewayMetadataType,
      nullable: false,
      ...gateway.part(['name'], egressGatewayMetadataColumns, (row, found) => egressGatewayMetadataOf(found, row)),
    }),
    spec: t.field({ type: GatewaySpecType, nullable: false, ...gateway.of(['spec'], ({ spec }) => spec) }),
    status: t.field({
      type: StatusEnum,
      description: statusDescription,
      ...gateway.of(['status'], ({ status }) => status),
    }),
  }),
});

addChildQueries('EGRESS_GATEWAY', {
  type: GatewayType,
  kind: egressGatewayKind,
  parentType: VpcType,
  args: namedListArguments,
  groupings: gatewayGroupings,
  isListNullable: false,
  words: { one: 'An egress gateway', many: 'egress gateways', container: 'the VPC' },
});

const EgressIpMetadataType = objectType(egressIpMetadata, [NamedMetadataInterface]);

const EgressIpSpecType = objectType(egressIpSpec);

const ip = rowFields<EgressIpRow>();

export const EgressIpType = builder.node(builder.objectRef<PartialResource<EgressIpRow>>('EgressIp'), {
  description: 'An IP address for dedicated outbound traffic.',
  interfaces: [EventfulInterface, NamedInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findResources(ctx, egressIpKind, ids),
  fields: (t) => ({
    gateway: t.field({
      type: GatewayType,
      description: 'The egress gateway of the IP.',
      ...ip.owner('gatewayId', egressGatewayKind),
    }),
    workspace: t.field(workspaceEdge),
    creator: t.field(creatorEdge),
    updater: t.field(updaterEdge),
    metadata: t.field({
      type: EgressIpMetadataType,
      nullable: false,
      ...ip.part(['name'], egressIpMetadataColumns, (row, found) => egressIpMetadataOf(found, row)),
    }),
    spec: t.field({ type: EgressIpSpecType, nullable: false, ...ip.of(['spec'], ({ spec }) => spec) }),
  }),
});

addChildQueries('EGRESS_IP', {
  type: EgressIpType,
  kind: egressIpKind,
  parentType: GatewayType,
  args: { ...resourceOrderArgument, ...searchArgument('name, displayName and address') },
  groupings: ipGroupings,
  isListNullable: false,
  words: { one: 'An egress IP', many: 'egress IPs', container: 'the gateway' },
});

addCreateMutation('EGRESS_GATEWAY', {
  type: GatewayType,
  scopes: [['admin']],
  description: 'Creates an egress gateway of a VPC.',
  input: (t) => ({
    vpcName: t.string({ required: true, description: 'Name of the VPC.' }),
    metadata: t.field({
      type: inputType(egressGatewayMetadata),
      required: true,
      description: 'Name, display name and protection.',
    }),
    spec: t.field({ type: inputType(egressGatewaySpec), description: 'Desired configuration.' }),
  }),
  run: (ctx, input) => createEgressGateway(ctx, input),
});

addUpdateMutation('EGRESS_GATEWAY', {
  type: GatewayType,
  scopes: [['admin']],
  description: 'Updates an egress gateway of a VPC. Its spec is immutable.',
  input: (t) => ({
    vpcName: parentNameField(t, 'VPC'),
    metadata: t.field({ type: updateInputType(egressGatewayMetadata), description: 'Display name and protection.' }),
  }),
  run: (ctx, input) => updateEgressGateway(ctx, gatewayOf(input)),
});

addDeleteMutation('EGRESS_GATEWAY', {
  type: GatewayType,
  scopes: [['admin']],
  description: 'Deletes an egress gateway that has no IPs.',
  input: (t) => ({
    vpcName: parentNameField(t, 'VPC'),
  }),
  run: (ctx, input) => deleteEgressGateway(ctx, gatewayOf(input)),
});

addRedeployMutation('EGRESS_GATEWAY', {
  type: GatewayType,
  scopes: [['admin']],
  input: (t) => ({
    vpcName: parentNameField(t, 'VPC'),
  }),
  run: (ctx, input) => redeployEgressGateway(ctx, gatewayOf(input)),
});

addCreateMutation('EGRESS_IP', {
  type: EgressIpType,
  scopes: [['admin']],
  description: 'Creates an egress IP of a gateway. The platform assigns its address.',
  input: (t) => ({
    vpcName: t.string({ required: true, description: 'Name of the VPC.' }),
    gatewayName: t.string({ required: true, description: 'Name of the egress gateway.' }),
    metadata: t.field({
      type: inputType(egressIpMetadata),
      required: true,
      description: 'Name, display name and protection.',
    }),
    spec: t.field({ type: inputType(egressIpSpec), description: 'Desired configuration.' }),
  }),
  run: (ctx, input) => createEgressIp(ctx, input),
});

addUpdateMutation('EGRESS_IP', {
  type: EgressIpType,
  scopes: [['admin']],
  description: 'Updates an egress IP of a gateway. Its spec is immutable.',
  input: (t) => ({
    vpcName: parentNameField(t, 'VPC'),
    gatewayName: parentNameField(t, 'egress gateway'),
    metadata: t.field({ type: updateInputType(egressIpMetadata), description: 'Display name and protection.' }),
  }),
  run: (ctx, input) => updateEgressIp(ctx, ipOf(input)),
});

addDeleteMutation('EGRESS_IP', {
  type: EgressIpType,
  scopes: [['admin']],
  description: 'Deletes an egress IP.',
  input: (t) => ({
    vpcName: parentNameField(t, 'VPC'),
    gatewayName: parentNameField(t, 'egress gateway'),
  }),
  run: (ctx, input) => deleteEgressIp(ctx, ipOf(input)),
});

interface GatewayInput extends ReferenceInput {
  vpcName?: string | null | undefined;
}

function gatewayOf<Input extends GatewayInput>(input: Input) {
  return { ...input, ...referenceOf('EgressGateway', input, { vpcName: input.vpcName, name: input.name }) };
}

function ipOf<Input extends GatewayInput & { gatewayName?: string | null | undefined }>(input: Input) {
  const { vpcName, gatewayName, name } = input;
  return { ...input, ...referenceOf('EgressIp', input, { vpcName, gatewayName, name }) };
}
