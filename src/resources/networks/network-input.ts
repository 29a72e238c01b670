import { z } from 'zod';
import type { Appending } from '../../changes/change-rows.js';
import { searchDocument, status } from '../../schema/resource.js';
import {
  insertRows,
  namedInput,
  namedRow,
  newResourceRow,
  newRow,
  resourceInput,
} from '../../store/write/resource-input.js';
import { egressGatewaySpec } from './egress-gateway.js';
import { vpcSpec } from './vpc.js';

export const vpcInput = resourceInput.extend({ spec: vpcSpec });

export type VpcInput = z.input<typeof vpcInput>;

/** Inserts VPCs of one workspace with their events, all or none. @throws {z.ZodError} */
export async function insertVpcs(db: Appending, workspaceId: string, inputs: VpcInput[]): Promise<void> {
  const rows = inputs.map((input) => {
    const { spec, ...checked } = vpcInput.parse(input);
    return newResourceRow(workspaceId, checked, spec);
  });
  await insertRows(db, 'vpc', rows);
}

export const egressGatewayInput = namedInput.extend({
  vpcId: z.uuid(),
  spec: egressGatewaySpec,
  status: status.optional(),
});

export type EgressGatewayInput = z.input<typeof egressGatewayInput>;

/** Inserts egress gateways of VPCs of one workspace with their events, all or none. @throws {z.ZodError} */
export async function insertEgressGateways(
  db: Appending,
  workspaceId: string,
  inputs: EgressGatewayInput[],
): Promise<void> {
  const rows = inputs.map((input) => {
    const { vpcId, spec, status: state, metadata, ...checked } = egressGatewayInput.parse(input);
    return newRow(workspaceId, checked, { ...namedRow(metadata), vpc_id: vpcId, status: state, spec });
  });
  await insertRows(db, 'egress_gateway', rows);
}

const egressIpSpecInput = z.discriminatedUnion('ipFamily', [
  z.object({ ipFamily: z.literal('ipv4'), publicIp: z.ipv4() }),
  z.object({ ipFamily: z.literal('ipv6'), publicIp: z.ipv6() }),
]);

export const egressIpInput = namedInput.extend({ gatewayId: z.uuid(), spec: egressIpSpecInput });

export type EgressIpInput = z.input<typeof egressIpInput>;

/** Inserts egress IPs of gateways of one workspace with their events, all or none. @throws {z.ZodError} */
export async function insertEgressIps(db: Appending, workspaceId: string, inputs: EgressIpInput[]): Promise<void> {
  const rows = inputs.map((input) => {
    const { gatewayId, spec, metadata, ...checked } = egressIpInput.parse(input);
    const search = searchDocument({ ...metadata, labels: { address: spec.publicIp } });
    return newRow(workspaceId, checked, { ...namedRow(metadata), egress_gateway_id: gatewayId, spec, search });
  });
  await insertRows(db, 'egress_ip', rows);
}
