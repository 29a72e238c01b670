import type { EgressGatewayInput, EgressIpInput, VpcInput } from '../resources/networks/network-input.js';
import { demoWorkspaces, openRegions } from './company.js';
import { provisioningEventsOf } from './events.js';
import { createRandom, idOf } from './random.js';
import { livedSince, madeBy } from './times.js';

interface Network {
  name: string;
  title: string;
  /** Who lets requests in by their address. */
  partners: string[];
  status: 'DEPLOYED' | 'DEPLOYING';
  gateways: { region: (typeof openRegions)[number]; status: 'DEPLOYED' | 'FAILED' }[];
}

const networks: Network[] = [
  {
    name: 'customs-authorities',
    title: 'Customs authorities',
    partners: ['zoll-atlas', 'hmrc-cds', 'cbp-ace'],
    status: 'DEPLOYED',
    gateways: [
      { region: 'eu-frankfurt-1', status: 'DEPLOYED' },
      { region: 'us-ashburn-1', status: 'DEPLOYED' },
    ],
  },
  {
    name: 'carriers',
    title: 'Carriers',
    partners: ['booking-desk', 'tracking-feed'],
    status: 'DEPLOYED',
    gateways: [
      { region: 'eu-london-1', status: 'DEPLOYED' },
      { region: 'us-portland-1', status: 'DEPLOYED' },
    ],
  },
  {
    name: 'banks',
    title: 'Banks',
    partners: ['letters-of-credit', 'payments'],
    status: 'DEPLOYING',
    gateways: [
      { region: 'eu-stockholm-1', status: 'DEPLOYED' },
      { region: 'us-dallas-1', status: 'FAILED' },
    ],
  },
];

export interface DemoNetworks {
  vpcs: VpcInput[];
  gateways: EgressGatewayInput[];
  ips: EgressIpInput[];
}

/**
 * VPCs of one workspace, egress gateways in each, and in each that works an address for every partner. No address
 * is given twice, in whatever workspace.
 */
export function demoNetworks(workspace: string, count: number, end: Date): DemoNetworks {
  const found: DemoNetworks = { vpcs: [], gateways: [], ips: [] };
  for (const [index, network] of networks.slice(0, count).entries()) {
    const { name, title, partners, status } = network;
    const random = createRandom(`${workspace} network ${name}`);
    const lived = livedSince(random, end, 260);
    const path = `${workspace}/vpcs/${name}`;
    const made = madeBy(random, workspace, lived);
    found.vpcs.push({
      id: idOf(path),
      metadata: { name, displayName: title, labels: { team: 'platform' }, ...made },
      status,
      spec: { cidrBlock: `10.${20 + index}.0.0/16`, region: network.gateways[0]?.region ?? openRegions[0] },
      events: provisioningEventsOf(status, lived.createdAt, lived.updatedAt),
    });
    for (const gateway of network.gateways) {
      const gatewayName = gateway.region.slice(0, gateway.region.lastIndexOf('-'));
      const gatewayId = idOf(`${path}/${gatewayName}`);
      found.gateways.push({
        id: gatewayId,
        vpcId: idOf(path),
        metadata: { name: gatewayName, displayName: `${title}, ${gateway.region}`, ...made },
        status: gateway.status,
        spec: { region: gateway.region },
        events: provisioningEventsOf(gateway.status, lived.createdAt, lived.updatedAt),
      });
      if (gateway.status === 'FAILED') continue;
      for (const partner of partners) {
        found.ips.push({
          id: idOf(`${path}/${gatewayName}/${partner}`),
          gatewayId,
          metadata: { name: partner, displayName: `Let in by ${partner}`, ...made },
          spec: addressAt(workspace, found.ips.length),
          events: [
            {
              time: lived.createdAt.toISOString(),
              type: 'allocation',
              status: 'DEPLOYED',
              message: `Allocated from the gateway ${gatewayName}`,
            },
          ],
        });
      }
    }
  }
  return found;
}

/** Addresses that are set aside for documents (RFC 5737, RFC 3849): every third one is IPv6. */
function addressAt(workspace: string, index: number): EgressIpInput['spec'] {
  const tenant = demoWorkspaces.indexOf(workspace) + 1;
  if (index % 3 === 1) return { ipFamily: 'ipv6', publicIp: `2001:db8:${tenant}::${(index + 1).toString(16)}` };
  const block = index % 2 === 0 ? '203.0.113' : '198.51.100';
  return { ipFamily: 'ipv4', publicIp: `${block}.${tenant * 40 + index}` };
}
