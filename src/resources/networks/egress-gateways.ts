import { nestedResources } from '../authorized-list.js';
import { egressGatewayKind } from './egress-gateway.js';

/** Lists are of one VPC. */
export const {
  list: listEgressGateways,
  get: getEgressGateway,
  find: findEgressGateways,
} = nestedResources(egressGatewayKind, 'admin');
