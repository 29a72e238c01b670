// Finds the parent of a resource, and locks it while the resource is created.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { notFound, unknownId } from '../../errors.js';
import type { Reference } from './change-input.js';
import type { Precondition } from './precondition.js';
import { PartialResource } from '../read/resource.js';
import { canBeName } from '../../schema/resource.js';
import { readById, readNamed } from '../read/read-rows.js';
import type { ResourceKind } from '../read/resource-kind.js';

/**
 * Reads a parent resource by name. It bypasses the request's cache, because the request itself may have changed the
 * parent.
 *
 * @param parentId the id of the parent's own parent; the workspace by default.
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
  if (row === undefined) throw notFound(kind.label, name);
  return new PartialResource<Row>(ctx, kind, workspace, row);
}

/** Reads a resource of the workspace by its id or by its name, like readParent(). @throws 404 `not_found`. */
export async function readReferenced<Row extends object>(
  within: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  reference: Reference,
  columns: readonly (keyof Row & string)[],
): Promise<PartialResource<Row>> {
  if (reference.id === undefined) return readParent(within, kind, reference.name, columns);
  const { ctx, db, workspace } = within;
  const row = await readById(db, kind, { workspaceId: workspace.id, id: workspace.id }, reference.id);
  if (row === undefined) throw unknownId(kind.label);
  return new PartialResource<Row>(ctx, kind, workspace, row);
}

/**
 * The precondition for creating a resource in a parent: the parent exists and is not being deleted. The parent is
 * locked before anything is written, as its deletion does, so that the two cannot deadlock.
 *
 * @param more a further precondition.
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
    refuse: (found) => (more !== undefined && found.has('parent') ? more.refuse(found) : notFound(kind.label, name)),
  };
}
