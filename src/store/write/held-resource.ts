import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { notFound } from '../../errors.js';
import type { WhichResource, Writable, WritableRow } from './writable.js';
import { heldRow } from './held-row.js';
import type { Held } from './held-row.js';
import { requireNames, ownerId, requireOwner } from './read-owner.js';
import { requireVersion } from './require-version.js';
import { canBeName, isResourceId } from '../../schema/resource.js';
import { isRowServed, workOf } from './resource-work.js';

/**
 * A resource that is to be changed, held until the transaction ends; and whether executors carry it out.
 *
 * @throws 404; 409 `version_mismatch`; what the request's Once throws.
 */
export async function heldResource<Row extends WritableRow>(
  within: AuthorizedWorkspace,
  writable: Writable<Row>,
  { name, parentId = within.workspace.id, owner, ifVersion }: WhichResource,
): Promise<Held<Row>> {
  const { kind } = writable;
  const work = workOf(writable);
  if (owner !== undefined) requireNames(owner);
  const isNamed = 'name' in kind.columns;
  if (isNamed ? !canBeName(name) : !isResourceId(name)) throw notFound(kind.noun, name);
  const parent = owner === undefined ? Prisma.sql`${parentId}::uuid` : ownerId(within, owner);
  const held = await heldRow(within, kind, {
    condition: Prisma.sql`${kind.parent ?? Prisma.sql`r."workspace_id"`} = ${parent}
      AND ${isNamed ? Prisma.sql`r."name" = ${name}` : Prisma.sql`r."id" = ${name}::uuid`}`,
    ...(work !== undefined && { question: isRowServed(work) }),
    once: within.ctx.once,
  });
  if (held === undefined && owner !== undefined) await requireOwner(within, owner);
  if (held === undefined) throw notFound(kind.noun, name);
  await requireVersion(within, kind.noun, held.resource.row, ifVersion);
  return held;
}
