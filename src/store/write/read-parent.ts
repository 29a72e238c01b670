// The resource that another belongs to: found for it, and held while it is made.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { notFound } from '../../errors.js';
import type { Precondition } from './write-row.js';
import { PartialResource } from '../read/resource.js';
import { canBeName } from '../../schema/resource.js';
import { readNamed } from '../read/read-rows.js';
import type { ResourceKind } from '../read/resource-kind.js';

/**
 * A resource by its name, as it is now: what the request has read before is not looked at, as it may have changed it
 * since.
 *
 * @param parentId the resource that it belongs to itself; the workspace unless it is given.
 * @throws 404 `not_found`.
 */
export async function readParent<Row extends object>(
  { ctx, db, workspace }: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  name: string,
  columns: readonly (keyof Row & string)[] = [],
  parentId: string = workspace.id,
): Promise<PartialResource<Row>> {
  const key = { parent: { workspaceId: workspace.id, id: parentId }, name, columns: new Set<string>(columns) };
  const [row] = canBeName(name) ? await readNamed(db, kind, [key]) : [];
  if (row === undefined) throw notFound(kind.noun, name);
  return new PartialResource<Row>(ctx, kind, workspace, row);
}

/**
 * What is made in something needs that to be there until it is made, and not to be on its way out. It is held before anything is written: whoever
 * removes it holds it first, too, and so neither waits for the other.
 *
 * @param more what else it needs.
 */
export function preconditionWithin<Row extends object>(
  { id, kind }: PartialResource<Row>,
  name: string,
  more?: Precondition,
): Precondition {
  const table = Prisma.raw(`"${kind.table}"`);
  const parent = Prisma.sql`
    SELECT 'parent' AS "name" FROM (
      SELECT "status" FROM ${table} WHERE "id" = ${id}::uuid FOR KEY SHARE) AS p WHERE p."status" IS DISTINCT FROM 'DELETING'`;
  return {
    names: more === undefined ? parent : Prisma.sql`${parent} UNION ALL ${more.names}`,
    count: 1 + (more?.count ?? 0),
    refuse: (found) => (more !== undefined && found.has('parent') ? more.refuse(found) : notFound(kind.noun, name)),
  };
}
