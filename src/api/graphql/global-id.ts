import { invalidParameter } from '../../errors.js';
import { resourceKindNames, resourceKinds } from '../../resource-kinds.js';
import { isResourceId } from '../../schema/resource.js';
import { globalId as globalIdOf, globalIdForm } from '../../pagination/global-id.js';

/** How many things one question may name (decision 57). */
export const nodesMax = 100;

/** The types that `node` finds. */
const nodeTypes = new Set<string>([
  ...resourceKindNames.map((kind) => resourceKinds[kind].typeName),
  'Account',
  'ApiKey',
  'Invitation',
  'Webhook',
  'WebhookDelivery',
  'Workspace',
]);

export function encodeGlobalId(typename: string, id: string | number | bigint): string {
  return globalIdOf(typename, id);
}

/** What a global id names. */
export interface GlobalId {
  typename: string;
  id: string;
}

/** @throws 400 `invalid_parameter`, naming the field that it is given in, for what is no id of this service. */
export function decodeGlobalId(globalId: string | number | bigint, field = 'id'): GlobalId {
  const found = findGlobalId(globalId);
  if (found === undefined) throw invalidParameter(field, 'is not a global id of this API');
  return found;
}

/** The same, but undefined for what is no id of this service. */
export function findGlobalId(globalId: string | number | bigint): GlobalId | undefined {
  const [version, typename = '', id = '', ...rest] = Buffer.from(String(globalId), 'base64url')
    .toString('utf8')
    .split(':');
  const isOurs = version === globalIdForm && rest.length === 0 && nodeTypes.has(typename) && isResourceId(id);
  return isOurs ? { typename, id } : undefined;
}

/** The id behind a global id of one type. @throws 400 `invalid_parameter` for anything else. */
export function resourceIdOf(type: string, globalId: string): string {
  const { typename, id } = decodeGlobalId(globalId);
  if (typename !== type) throw invalidParameter('id', `is the global id of a ${typename}, not of a ${type}`);
  return id;
}
