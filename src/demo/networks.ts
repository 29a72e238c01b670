import type { Document } from '../manifests/document.js';
import { egressGatewayInput, egressIpInput, vpcInput } from './rows/network-input.js';
import type { EgressGatewayInput, EgressIpInput, VpcInput } from './rows/network-input.js';
import { madeBy } from './actors.js';
import { demoWorkspaces } from './company.js';
import { documentsOf } from './documents.js';
import { provisioningEventsOf } from './events.js';
import { createRandom, idOf } from './random.js';
import { livedSince, minuteMs } from './times.js';

export interface DemoNetworks {
  vpcs: VpcInput[];
  gateways: EgressGatewayInput[];
  ips: EgressIpInput[];
}

/** The VPCs of one workspace with their egress gateways and IPs. Each address is used only once in all workspaces. */
export function demoNetworks(workspace: string, end: Date): DemoNetworks {
  return {
    vpcs: documentsOf('Vpc', workspace).map((document, index) => demoVpc(document, index, end)),
    gateways: documentsOf('EgressGateway', workspace).map((document, index) => demoGateway(document, index, end)),
    ips: documentsOf('EgressIp', workspace).map((document, index) => demoIp(document, index, end)),
  };
}

/** The index of the VPC that is being created. */
const newVpc = 2;

/** A VPC has the age of its contents. */
function pastOf(workspace: string, vpc: string, end: Date) {
  const random = createRandom(`${workspace} network ${vpc}`);
  const isNew = documentsOf('Vpc', workspace)[newVpc]?.name === vpc;
  const now = new Date(end.getTime() - 6 * minuteMs);
  const lived = isNew ? { createdAt: now, updatedAt: now } : livedSince(random, end, 260);
  const made = madeBy(random, workspace, lived);
  // Gateways and IPs stay as they were created.
  const { createdAt, createdBy } = made;
  return { ...lived, made, madeOnce: { ...made, updatedAt: createdAt, updatedBy: createdBy } };
}

function demoVpc({ workspace, name, metadata, spec }: Document, index: number, end: Date): VpcInput {
  const { createdAt, updatedAt, made } = pastOf(workspace, name, end);
  const status = index === newVpc ? 'DEPLOYING' : 'DEPLOYED';
  return vpcInput.parse({
    id: idOf(`${workspace}/vpcs/${name}`),
    metadata: { ...metadata, ...made },
    status,
    spec,
    events: provisioningEventsOf(status, createdAt, updatedAt),
  });
}

function demoGateway(document: Document, index: number, end: Date): EgressGatewayInput {
  const { workspace, parents, name, metadata, spec } = document;
  const [vpc = ''] = parents;
  const { createdAt, updatedAt, madeOnce } = pastOf(workspace, vpc, end);
  const status = index === 5 ? 'FAILED' : 'DEPLOYED';
  return egressGatewayInput.parse({
    id: idOf(`${workspace}/vpcs/${vpc}/${name}`),
    vpcId: idOf(`${workspace}/vpcs/${vpc}`),
    metadata: { ...metadata, ...madeOnce },
    status,
    spec,
    events: provisioningEventsOf(status, createdAt, updatedAt),
  });
}

function demoIp({ workspace, parents, name, metadata, spec }: Document, index: number, end: Date): EgressIpInput {
  const [vpc = '', gateway = ''] = parents;
  const { createdAt, madeOnce } = pastOf(workspace, vpc, end);
  return egressIpInput.parse({
    id: idOf(`${workspace}/vpcs/${vpc}/${gateway}/${name}`),
    gatewayId: idOf(`${workspace}/vpcs/${vpc}/${gateway}`),
    metadata: { ...metadata, ...madeOnce },
    spec: { ...spec, publicIp: addressAt(workspace, index, spec['ipFamily'] === 'ipv6') },
    events: [
      {
        time: createdAt.toISOString(),
        type: 'allocation',
        status: 'DEPLOYED',
        message: `Allocated from the gateway ${gateway}`,
      },
    ],
  });
}

/** Addresses reserved for documentation (RFC 5737, RFC 3849). */
function addressAt(workspace: string, index: number, isIpv6: boolean): string {
  const tenant = demoWorkspaces.indexOf(workspace) + 1;
  if (isIpv6) return `2001:db8:${tenant}::${(index + 1).toString(16)}`;
  const block = index % 2 === 0 ? '203.0.113' : '198.51.100';
  return `${block}.${tenant * 40 + index}`;
}
