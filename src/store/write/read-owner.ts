// Finds the parent of a resource by the path of names to it, in the statement that finds the resource.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { notFound } from '../../errors.js';
import { canBeName } from '../../schema/resource.js';
import type { ListDefinition } from '../read/list-definition.js';

/** A parent resource, by its name. */
export interface Owner {
  kind: Pick<ListDefinition<object>, 'label' | 'table' | 'parent'>;
  name: string;
  /** The parent's own parent; the workspace by default. */
  owner?: Owner;
}

/** SQL of the id of a parent; NULL if a name does not exist. */
export function ownerId(within: AuthorizedWorkspace, { kind, name, owner }: Owner): Prisma.Sql {
  const { id } = within.workspace;
  const parent = owner === undefined ? Prisma.sql`${id}::uuid` : ownerId(within, owner);
  return Prisma.sql`(
    SELECT r."id" FROM ${Prisma.raw(`"${kind.table}"`)} AS r WHERE r."workspace_id" = ${id}::uuid
      AND ${kind.parent ?? Prisma.sql`r."workspace_id"`} = ${parent} AND r."name" = ${name})`;
}

/** Refuses names that are syntactically impossible. @throws 404 `not_found` */
export function requireNames({ kind, name, owner }: Owner): void {
  if (owner !== undefined) requireNames(owner);
  if (!canBeName(name)) throw notFound(kind.label, name);
}

/** Reports which of the names does not exist. @throws 404 `not_found` */
export async function requireOwner(within: AuthorizedWorkspace, owner: Owner): Promise<void> {
  if (owner.owner !== undefined) await requireOwner(within, owner.owner);
  const id = await within.db.$text(Prisma.sql`SELECT ${ownerId(within, owner)}::text`);
  if (id === '') throw notFound(owner.kind.label, owner.name);
}
