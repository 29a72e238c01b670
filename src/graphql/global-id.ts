// Global ids are opaque and say which form they have, so that ids of an older form keep working.
import { invalidParameter } from '../errors.js';
import { isResourceId } from '../resources/resource.js';

const form = '1';

/** The types that `node` finds. */
const nodeTypes = new Set([
  'Account',
  'Agent',
  'EgressGateway',
  'EgressIp',
  'Image',
  'ImageShare',
  'ImageTag',
  'Job',
  'JobExecution',
  'Sandbox',
  'SandboxPreview',
  'Volume',
  'Vpc',
  'Workspace',
]);

export function encodeGlobalId(typename: string, id: string | number | bigint): string {
  return Buffer.from(`${form}:${typename}:${id}`).toString('base64url');
}

/** @throws 400 `invalid_parameter` for what is no id of this service. */
export function decodeGlobalId(globalId: string | number | bigint): { typename: string; id: string } {
  const [version, typename = '', id = '', ...rest] = Buffer.from(String(globalId), 'base64url')
    .toString('utf8')
    .split(':');
  if (version !== form || rest.length > 0 || !nodeTypes.has(typename) || !isResourceId(id)) {
    throw invalidParameter('id', 'is not the global id of anything in this API');
  }
  return { typename, id };
}

/** The id behind a global id of one type. @throws 400 `invalid_parameter` for anything else. */
export function resourceIdOf(type: string, globalId: string): string {
  const { typename, id } = decodeGlobalId(globalId);
  if (typename !== type) throw invalidParameter('id', `is the global id of a ${typename}, not of a ${type}`);
  return id;
}
