// Global ids are opaque and say which form they have, so that ids of an older form keep working.
import { invalidParameter } from '../errors.js';

const form = '1';
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The types that `node` finds. */
const nodeTypes = new Set(['Account', 'Agent', 'Workspace']);

export function encodeGlobalId(typename: string, id: string | number | bigint): string {
  return Buffer.from(`${form}:${typename}:${id}`).toString('base64url');
}

/** @throws 400 `invalid_parameter` for what is no id of this service. */
export function decodeGlobalId(globalId: string | number | bigint): { typename: string; id: string } {
  const [version, typename = '', id = '', ...rest] = Buffer.from(String(globalId), 'base64url')
    .toString('utf8')
    .split(':');
  if (version !== form || rest.length > 0 || !nodeTypes.has(typename) || !uuid.test(id)) {
    throw invalidParameter('id', 'is not the global id of anything in this API');
  }
  return { typename, id };
}
