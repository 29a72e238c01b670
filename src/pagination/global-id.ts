// Global ids are opaque and contain the version of their format, so that ids of older formats keep working.

/** The format of new ids. */
export const globalIdForm = '1';

/** The global id (GraphQL `ID`) by which `node` finds an object. */
export function globalId(typename: string, id: string | number | bigint): string {
  return Buffer.from(`${globalIdForm}:${typename}:${id}`).toString('base64url');
}
