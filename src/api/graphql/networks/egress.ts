import { addressOf, parentNameField } from '../address.js';
import type { AddressInput } from '../address.js';
import { filterArgument } from '../filter-argument.js';
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { NamedInterface } from '../named.js';
import { connectionComplexity, orNull } from '../connection.js';
import { countComplexity, countDescription, groupByArgument, GroupCountType } from '../group-counts.js';
import { EventfulInterface, NamedMetadataInterface, StatusEnum, statusDescription } from '../resource.js';
import { connectionOf, namedListArguments } from '../resource-fields.js';
import { foundId, resolveList, resourceOrderArgument, searchArgument } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { selectedColumns } from '../selection.js';
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
import {
  countEgressGateways,
  findEgressGateways,
  getEgressGateway,
  listEgressGateways,
} from '../../../resources/networks/egress-gateways.js';
import {
  egressIpKind,
  egressIpMetadata,
  egressIpMetadataColumns,
  egressIpMetadataOf,
  egressIpSpec,
} from '../../../resources/networks/egress-ip.js';
import type { EgressIpRow } from '../../../resources/networks/egress-ip.js';
import { countEgressIps, findEgressIps, getEgressIp, listEgressIps } from '../../../resources/networks/egress-ips.js';
import { VpcType } from './vpcs.js';
import { findVpcs } from '../../../resources/networks/vpcs.js';
import { addCreateMutation, addDeleteMutation, addUpdateMutation } from '../resource-mutations.js';
import { inputType, updateInputType } from '../shape-input.js';
import {
  createEgressGateway,
  deleteEgressGateway,
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
  loadManyWithoutCache: (ids, ctx) => findEgressGateways(ctx, ids),
  fields: (t) => ({
    vpc: t.field({
      type: VpcType,
      description: 'The VPC of the gateway.',
      ...gateway.owner('vpcId', ({ vpcId }) => vpcId, findVpcs, [['admin']]),
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

const gatewayFilter = filterArgument('EgressGateway', egressGatewayKind.criteria);

const gatewayConnection = connectionOf(GatewayType, 'EgressGateway', 'egress gateways');

builder.objectField(VpcType, 'egressGateway', (t) =>
  t.field({
    type: GatewayType,
    extensions: requiresScopes([['admin']]),
    description: 'An egress gateway of the VPC by name, or null if there is none.',
    args: { name: t.arg.string({ required: true, description: 'Name of the egress gateway.' }) },
    resolve: (owner, { name }, ctx, info) =>
      orNull(getEgressGateway(ctx, owner, { name, columns: selectedColumns(info) })),
  }),
);

builder.objectField(VpcType, 'egressGateways', (t) =>
  t.connection(
    {
      type: GatewayType,
      nullable: false,
      extensions: requiresScopes([['admin']]),
      description: 'Egress gateways of the VPC.',
      args: { ...namedListArguments, ...gatewayFilter },
      complexity: connectionComplexity,
      resolve: (owner, args, ctx, info) =>
        resolveList(args, info, (input) => listEgressGateways(ctx, owner, { ...input, isOneOfMany: true })),
    },
    gatewayConnection,
  ),
);

builder.objectField(VpcType, 'egressGatewayCounts', (t) =>
  t.field({
    type: [GroupCountType],
    nullable: { list: true, items: false },
    extensions: requiresScopes([['admin']]),
    description: countDescription('egress gateways'),
    args: {
      ...groupByArgument('EgressGateway', gatewayGroupings),
      search: namedListArguments.search,
      ...gatewayFilter,
    },
    complexity: countComplexity,
    resolve: (owner, args, ctx) => countEgressGateways(ctx, owner, args),
  }),
);

const EgressIpMetadataType = objectType(egressIpMetadata, [NamedMetadataInterface]);

const EgressIpSpecType = objectType(egressIpSpec);

const ip = rowFields<EgressIpRow>();

export const EgressIpType = builder.node(builder.objectRef<PartialResource<EgressIpRow>>('EgressIp'), {
  description: 'An IP address for dedicated outbound traffic.',
  interfaces: [EventfulInterface, NamedInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findEgressIps(ctx, ids),
  fields: (t) => ({
    gateway: t.field({
      type: GatewayType,
      description: 'The egress gateway of the IP.',
      ...ip.owner('gatewayId', ({ gatewayId }) => gatewayId, findEgressGateways, [['admin']]),
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

const ipFilter = filterArgument('EgressIp', egressIpKind.criteria);

const ipSearch = searchArgument('name, displayName and address');

const ipConnection = connectionOf(EgressIpType, 'EgressIp', 'egress IPs');

builder.objectField(GatewayType, 'ip', (t) =>
  t.field({
    type: EgressIpType,
    extensions: requiresScopes([['admin']]),
    description: 'An egress IP of the gateway by name, or null if there is none.',
    args: { name: t.arg.string({ required: true, description: 'Name of the egress IP.' }) },
    resolve: (owner, { name }, ctx, info) => orNull(getEgressIp(ctx, owner, { name, columns: selectedColumns(info) })),
  }),
);

builder.objectField(GatewayType, 'ips', (t) =>
  t.connection(
    {
      type: EgressIpType,
      nullable: false,
      extensions: requiresScopes([['admin']]),
      description: 'Egress IPs of the gateway.',
      args: { ...resourceOrderArgument, ...ipSearch, ...ipFilter },
      complexity: connectionComplexity,
      resolve: (owner, args, ctx, info) =>
        resolveList(args, info, (input) => listEgressIps(ctx, owner, { ...input, isOneOfMany: true })),
    },
    ipConnection,
  ),
);

builder.objectField(GatewayType, 'ipCounts', (t) =>
  t.field({
    type: [GroupCountType],
    nullable: { list: true, items: false },
    extensions: requiresScopes([['admin']]),
    description: countDescription('egress IPs'),
    args: { ...groupByArgument('EgressIp', ipGroupings), search: ipSearch.search, ...ipFilter },
    complexity: countComplexity,
    resolve: (owner, args, ctx) => countEgressIps(ctx, owner, args),
  }),
);

addCreateMutation('EGRESS_GATEWAY', {
  type: GatewayType,
  scopes: [['admin']],
  description: 'Creates an egress gateway of a VPC.',
  input: (t) => ({
    vpcName: t.string({ required: true, description: 'Name of the VPC.' }),
    metadata: t.field({
      type: inputType(egressGatewayMetadata),
      required: true,
      description: 'Name, display name and labels.',
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
    metadata: t.field({ type: updateInputType(egressGatewayMetadata), description: 'Display name and labels.' }),
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
      description: 'Name, display name and labels.',
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
    metadata: t.field({ type: updateInputType(egressIpMetadata), description: 'Display name and labels.' }),
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

interface GatewayInput extends AddressInput {
  vpcName?: string | null | undefined;
}

function gatewayOf<Input extends GatewayInput>(input: Input) {
  return { ...input, ...addressOf('EgressGateway', input, { vpcName: input.vpcName, name: input.name }) };
}

function ipOf<Input extends GatewayInput & { gatewayName?: string | null | undefined }>(input: Input) {
  const { vpcName, gatewayName, name } = input;
  return { ...input, ...addressOf('EgressIp', input, { vpcName, gatewayName, name }) };
}
