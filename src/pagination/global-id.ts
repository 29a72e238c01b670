// Global ids are opaque and say which form they have, so that ids of an older form keep working.

/** The form of the ids that are given out. */
export const globalIdForm = '1';

/** The id by which `node` finds something, as GraphQL gives it. */
export function globalId(typename: string, id: string | number | bigint): string {
  return Buffer.from(`${globalIdForm}:${typename}:${id}`).toString('base64url');
}
