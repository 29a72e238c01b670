import { z } from 'zod';
import { searchDocument, status } from '../../schema/resource.js';
import { insertionOf, namedInput, resourceInput } from './insert-rows.js';
import { egressGatewaySpec } from '../../resources/networks/egress-gateway.js';
import { vpcSpec } from '../../resources/networks/vpc.js';

export const vpcInput = resourceInput.extend({ spec: vpcSpec });

export type VpcInput = z.input<typeof vpcInput>;

export const insertVpcs = insertionOf('vpc', vpcInput);

export const egressGatewayInput = namedInput.extend({
  vpcId: z.uuid(),
  spec: egressGatewaySpec,
  status: status.optional(),
});

export type EgressGatewayInput = z.input<typeof egressGatewayInput>;

export const insertEgressGateways = insertionOf('egress_gateway', egressGatewayInput, ({ vpcId }) => ({
  vpc_id: vpcId,
}));

const egressIpSpecInput = z.discriminatedUnion('ipFamily', [
  z.object({ ipFamily: z.literal('ipv4'), publicIp: z.ipv4() }),
  z.object({ ipFamily: z.literal('ipv6'), publicIp: z.ipv6() }),
]);

export const egressIpInput = namedInput.extend({ gatewayId: z.uuid(), spec: egressIpSpecInput });

export type EgressIpInput = z.input<typeof egressIpInput>;

export const insertEgressIps = insertionOf('egress_ip', egressIpInput, ({ gatewayId, metadata, spec }) => ({
  egress_gateway_id: gatewayId,
  search: searchDocument({ ...metadata, labels: { address: spec.publicIp } }),
}));
