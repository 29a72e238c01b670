import { builder } from '../../graphql/builder.js';
import { mutationErrors, resultOf, resultTypeOf } from '../../graphql/mutation.js';
import { EventfulInterface, NamedMetadataInterface, StatusEnum } from '../../graphql/resource.js';
import { addNestedFields } from '../../graphql/resource-fields.js';
import { foundId } from '../../graphql/resource-list.js';
import type { Found } from '../resource-kind.js';
import type { EgressGateway, EgressGatewaySpec } from './egress-gateway.js';
import { findEgressGateways, getEgressGateway, listEgressGateways } from './egress-gateways.js';
import type { EgressIp, EgressIpSpec } from './egress-ip.js';
import { deleteEgressIp, findEgressIps, getEgressIp, listEgressIps } from './egress-ips.js';
import { VpcType } from './graphql.js';

const GatewayMetadataType = builder.objectRef<EgressGateway['metadata']>('EgressGatewayMetadata').implement({
  description: 'What an egress gateway is called, and what it belongs to.',
  interfaces: [NamedMetadataInterface],
  fields: (t) => ({
    vpcName: t.exposeString('vpcName', { description: 'Name of the VPC.' }),
  }),
});

const GatewaySpecType = builder.objectRef<EgressGatewaySpec>('EgressGatewaySpec').implement({
  description: 'What an egress gateway is meant to be.',
  fields: (t) => ({
    region: t.exposeString('region', { description: 'Region that traffic leaves from.' }),
  }),
});

const GatewayType = builder.node(builder.objectRef<Found<EgressGateway>>('EgressGateway'), {
  description: 'What outbound traffic of a VPC leaves through. Needs the scope admin.',
  interfaces: [EventfulInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findEgressGateways(ctx, ids),
  fields: (t) => ({
    metadata: t.field({ type: GatewayMetadataType, nullable: false, resolve: ({ resource }) => resource.metadata }),
    spec: t.field({ type: GatewaySpecType, nullable: false, resolve: ({ resource }) => resource.spec }),
    status: t.field({ type: StatusEnum, resolve: ({ resource }) => resource.status }),
  }),
});

addNestedFields(GatewayType, VpcType, {
  name: 'EgressGateway',
  field: 'egressGateways',
  one: 'egressGateway',
  many: 'egress gateways',
  scope: 'admin',
  searched: 'name and displayName',
  list: listEgressGateways,
  get: getEgressGateway,
});

const EgressIpMetadataType = builder.objectRef<EgressIp['metadata']>('EgressIpMetadata').implement({
  description: 'What an egress IP is called, and what it belongs to.',
  interfaces: [NamedMetadataInterface],
  fields: (t) => ({
    gatewayName: t.exposeString('gatewayName', { description: 'Name of the egress gateway.' }),
    vpcName: t.exposeString('vpcName', { description: 'Name of the VPC.' }),
  }),
});

const EgressIpSpecType = builder.objectRef<EgressIpSpec>('EgressIpSpec').implement({
  description: 'The address.',
  fields: (t) => ({
    ipFamily: t.exposeString('ipFamily', { description: 'ipv4 or ipv6.' }),
    publicIp: t.exposeString('publicIp', { description: 'The address as others see it.' }),
  }),
});

const EgressIpType = builder.node(builder.objectRef<Found<EgressIp>>('EgressIp'), {
  description: 'An address for dedicated outbound traffic. Needs the scope admin.',
  interfaces: [EventfulInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findEgressIps(ctx, ids),
  fields: (t) => ({
    metadata: t.field({ type: EgressIpMetadataType, nullable: false, resolve: ({ resource }) => resource.metadata }),
    spec: t.field({ type: EgressIpSpecType, nullable: false, resolve: ({ resource }) => resource.spec }),
  }),
});

addNestedFields(EgressIpType, GatewayType, {
  name: 'EgressIp',
  field: 'ips',
  one: 'ip',
  many: 'egress IPs',
  scope: 'admin',
  searched: 'name, displayName and address',
  list: listEgressIps,
  get: getEgressIp,
});

const DeleteEgressIpPayload = builder.objectRef<{ egressIp: Found<EgressIp> }>('DeleteEgressIpPayload').implement({
  description: 'What deleteEgressIp removed.',
  fields: (t) => ({
    egressIp: t.expose('egressIp', {
      type: EgressIpType,
      nullable: false,
      description: 'The egress IP as it was, its events ending with the deletion.',
    }),
  }),
});

const DeleteEgressIpResult = builder.unionType('DeleteEgressIpResult', {
  description: 'What deleteEgressIp removed, or why it did not.',
  types: [DeleteEgressIpPayload, ...mutationErrors],
  resolveType: resultTypeOf('DeleteEgressIpPayload'),
});

const DeleteEgressIpInput = builder.inputType('DeleteEgressIpInput', {
  description: 'Which egress IP to delete.',
  fields: (t) => ({
    workspace: t.string({ description: 'Name of the workspace, when the header does not say it.' }),
    vpcName: t.string({ required: true, description: 'Name of the VPC.' }),
    gatewayName: t.string({ required: true, description: 'Name of the egress gateway.' }),
    ipName: t.string({ required: true, description: 'Name of the egress IP.' }),
  }),
});

builder.mutationField('deleteEgressIp', (t) =>
  t.field({
    type: DeleteEgressIpResult,
    nullable: false,
    description: 'Deletes an egress IP. Needs the scope admin.',
    args: { input: t.arg({ type: DeleteEgressIpInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        const { workspace, vpcName: vpc, gatewayName: gateway, ipName: ip } = input;
        return { egressIp: await deleteEgressIp(ctx, { workspace, vpc, gateway, ip }) };
      }),
  }),
);
