import { BlockList } from 'node:net';
import { describe, expect, it } from 'vitest';
import { demoWorkspaces } from '../../src/demo/company.js';
import { demoConfiguration } from '../../src/demo/configuration.js';
import { demoPlatform } from '../../src/demo/platform.js';

const end = new Date('2026-11-20T12:00:00.000Z');
const demos = demoWorkspaces.map((workspace) => demoPlatform(workspace, [], end));
const ips = demos.flatMap((demo) => demo.ips);

describe('Networks of the demo', () => {
  it('have gateways only in regions with egress, in VPCs of their workspace', () => {
    const withEgress = demoConfiguration.regions.flatMap(({ name, egressAvailable }) =>
      egressAvailable ? [name] : [],
    );
    for (const { vpcs, gateways } of demos) {
      expect(new Set(gateways.map(({ vpcId }) => vpcId))).toEqual(new Set(vpcs.map(({ id }) => id)));
      for (const { spec } of gateways) expect(withEgress).toContain(spec.region);
    }
  });

  it('have addresses of both families from documentation ranges', () => {
    const documentation = new BlockList();
    documentation.addSubnet('203.0.113.0', 24, 'ipv4');
    documentation.addSubnet('198.51.100.0', 24, 'ipv4');
    documentation.addSubnet('2001:db8::', 32, 'ipv6');
    expect(ips.filter(({ spec }) => !documentation.check(spec.publicIp, spec.ipFamily))).toEqual([]);
    for (const demo of demos) {
      expect(new Set(demo.ips.map(({ spec }) => spec.ipFamily))).toEqual(new Set(['ipv4', 'ipv6']));
    }
  });

  it('never use an address twice, in any workspace', () => {
    expect(new Set(ips.map(({ spec }) => spec.publicIp)).size).toBe(ips.length);
  });

  it('have addresses only in working gateways', () => {
    for (const demo of demos) {
      const working = demo.gateways.filter(({ status }) => status === 'DEPLOYED').map(({ id }) => id);
      expect(new Set(demo.ips.map(({ gatewayId }) => gatewayId))).toEqual(new Set(working));
    }
    expect(demos.flatMap(({ gateways }) => gateways).some(({ status }) => status === 'FAILED')).toBe(true);
  });
});
