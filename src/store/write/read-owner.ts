// Where a resource that belongs to another is: by the names that lead to it, found with it by one statement.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { notFound } from '../../errors.js';
import { canBeName } from '../../schema/resource.js';
import type { ListDefinition } from '../read/list-definition.js';

/** A resource that others belong to, by its name. */
export interface Owner {
  kind: Pick<ListDefinition<object>, 'noun' | 'table' | 'parent'>;
  name: string;
  /** What it belongs to itself; the workspace unless it is given. */
  owner?: Owner;
}

/** SQL of the id of an owner; NULL when there is none of these names. */
export function ownerId(within: AuthorizedWorkspace, { kind, name, owner }: Owner): Prisma.Sql {
  const { id } = within.workspace;
  const parent = owner === undefined ? Prisma.sql`${id}::uuid` : ownerId(within, owner);
  return Prisma.sql`(
    SELECT r."id" FROM ${Prisma.raw(`"${kind.table}"`)} AS r WHERE r."workspace_id" = ${id}::uuid
      AND ${kind.parent ?? Prisma.sql`r."workspace_id"`} = ${parent} AND r."name" = ${name})`;
}

/** Refuses what cannot be a name at all. @throws 404 `not_found` */
export function requireNames({ kind, name, owner }: Owner): void {
  if (owner !== undefined) requireNames(owner);
  if (!canBeName(name)) throw notFound(kind.noun, name);
}

/** Says which of the names leads nowhere, where nothing was found. @throws 404 `not_found` */
export async function requireOwner(within: AuthorizedWorkspace, owner: Owner): Promise<void> {
  if (owner.owner !== undefined) await requireOwner(within, owner.owner);
  const id = await within.db.$text(Prisma.sql`SELECT ${ownerId(within, owner)}::text`);
  if (id === '') throw notFound(owner.kind.noun, owner.name);
}
