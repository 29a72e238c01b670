import type { EgressGatewayInput, EgressIpInput, VpcInput } from '../resources/networks/network-input.js';
import { regions } from './company.js';
import { eventsOf } from './events.js';
import { createRandom, idOf } from './random.js';
import { livedSince, madeBy } from './times.js';

const networks = [
  { name: 'customs-authorities', title: 'Customs authorities', partners: ['zoll-atlas', 'hmrc-cds', 'cbp-ace'] },
  { name: 'carriers', title: 'Carriers', partners: ['booking-desk', 'tracking-feed'] },
  { name: 'banks', title: 'Banks', partners: ['letters-of-credit', 'payments'] },
] as const;

export interface DemoNetworks {
  vpcs: VpcInput[];
  gateways: EgressGatewayInput[];
  ips: EgressIpInput[];
}

/** VPCs of one workspace, two egress gateways in each, and an address for each partner who lists addresses. */
export function demoNetworks(workspace: string, count: number, end: Date): DemoNetworks {
  const found: DemoNetworks = { vpcs: [], gateways: [], ips: [] };
  networks.slice(0, count).forEach(({ name, title, partners }, index) => {
    const random = createRandom(`${workspace} network ${name}`);
    const lived = livedSince(random, end, 260);
    const vpcId = idOf(`${workspace}/vpcs/${name}`);
    const status = index === 2 ? 'DEPLOYING' : 'DEPLOYED';
    found.vpcs.push({
      id: vpcId,
      metadata: { name, displayName: title, labels: { team: 'platform' }, ...madeBy(random, lived) },
      status,
      spec: { cidrBlock: `10.${20 + index}.0.0/16`, region: regions[index] ?? regions[0] },
      events: eventsOf(status, lived.createdAt, lived.updatedAt, 'r1', undefined).slice(-2),
    });
    for (const [order, region] of [regions[index], regions[index + 3]].entries()) {
      if (region === undefined) continue;
      const gateway = region.slice(0, region.lastIndexOf('-'));
      const gatewayId = idOf(`${workspace}/vpcs/${name}/${gateway}`);
      found.gateways.push({
        id: gatewayId,
        vpcId,
        metadata: { name: gateway, displayName: `${title}, ${region}`, ...madeBy(random, lived) },
        status: order === 1 && index === 2 ? 'FAILED' : 'DEPLOYED',
        spec: { region },
        events: eventsOf('DEPLOYED', lived.createdAt, lived.updatedAt, 'r1', undefined).slice(-1),
      });
      for (const [place, partner] of partners.entries()) {
        const isV6 = place === 1;
        const host = random.below(250) + 1;
        found.ips.push({
          id: idOf(`${workspace}/vpcs/${name}/${gateway}/${partner}`),
          gatewayId,
          metadata: { name: partner, displayName: `Allow-listed by ${partner}`, ...madeBy(random, lived) },
          spec: isV6
            ? { ipFamily: 'ipv6', publicIp: `2001:db8:${index}::${host.toString(16)}` }
            : { ipFamily: 'ipv4', publicIp: `${order === 0 ? '203.0.113' : '198.51.100'}.${host}` },
          events: [
            {
              time: lived.createdAt.toISOString(),
              type: 'allocation',
              status: 'DEPLOYED',
              message: `Allocated from the gateway ${gateway}`,
            },
          ],
        });
      }
    }
  });
  return found;
}
