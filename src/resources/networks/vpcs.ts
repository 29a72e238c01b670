import { workspaceResources } from '../authorized-list.js';
import { specifiedKind } from '../resource-row.js';
import { vpcFromRow } from './vpc.js';

export const {
  list: listVpcs,
  get: getVpc,
  find: findVpcs,
} = workspaceResources(specifiedKind('VPC', 'vpc', vpcFromRow), { list: 'admin', get: 'admin' });
