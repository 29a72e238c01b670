import { z } from 'zod';
import { noParameters } from '../input.js';
import { route } from '../route.js';
import type { Route } from '../route.js';
import { resourceName } from '../../../schema/resource.js';
import { egressIp, egressIpFromRow } from '../../../resources/networks/egress-ip.js';
import { deleteEgressIp } from '../../../resources/networks/egress-ip-changes.js';

export const networkRoutes: Route[] = [
  route({
    method: 'DELETE',
    path: '/vpcs/{vpcName}/egressgateways/{gatewayName}/ips/{ipName}',
    operation: 'DeleteEgressIp',
    summary: 'Deletes an egress IP and returns its last state. The last of its events is the deletion.',
    scope: 'admin',
    isInWorkspace: true,
    parameters: z.object({ vpcName: resourceName, gatewayName: resourceName, ipName: resourceName }),
    query: noParameters,
    body: egressIp,
    example: {
      metadata: {
        name: 'customs-broker',
        gatewayName: 'frankfurt',
        vpcName: 'partners',
        workspace: 'meridian-production',
        createdAt: '2026-06-01T08:00:00.000Z',
        updatedAt: '2026-06-01T08:00:00.000Z',
      },
      spec: { ipFamily: 'ipv4', publicIp: '203.0.113.17' },
      events: [
        {
          time: '2026-11-20T09:30:00.000Z',
          type: 'deletion',
          status: 'DELETED',
          message: 'Deleted by ines.carvalho@meridian.example.com',
        },
      ],
    },
    errors: [404],
    answer: async ({ ctx, parameters: { vpcName, gatewayName, ipName } }) => ({
      body: egressIpFromRow(await deleteEgressIp(ctx, { vpcName, gatewayName, name: ipName })),
    }),
  }),
];
