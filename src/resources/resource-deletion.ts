import type { RequestContext } from '../context.js';
import { Prisma } from '../database/client/client.js';
import { deleteRows } from '../database/delete-rows.js';
import { notFound } from '../errors.js';
import { canBeName } from './resource.js';
import type { CoreEvent } from './resource.js';
import { recordEvent } from './resource-event.js';
import type { Found, ListOwner, ResourceKeys, ResourceKind } from './resource-kind.js';

/**
 * Removes a resource, in one transaction with the event that records when and by whom. Of two callers at
 * the same time one gets it.
 *
 * @returns the resource as it was, its events ending with that of its deletion (decision 28).
 * @throws 404 `not_found`
 */
export async function deleteResource<Row extends ResourceKeys, Resource extends { events?: CoreEvent[] | undefined }>(
  ctx: RequestContext,
  kind: ResourceKind<Row, Resource>,
  owner: ListOwner,
  name: string,
): Promise<Found<Resource>> {
  if (!canBeName(name)) throw notFound(kind.noun, name);
  const { workspace } = owner;
  const parent = kind.parent ?? Prisma.sql`r."workspace_id"`;
  return ctx.db.$transaction(async (tx) => {
    const [row] = await deleteRows<Row>(tx, {
      table: Prisma.raw(`"${kind.table}"`),
      condition: Prisma.sql`
        r."workspace_id" = ${workspace.id}::uuid AND ${parent} = ${owner.id}::uuid AND r."name" = ${name}`,
      columns: kind.columns,
    });
    if (row === undefined) throw notFound(kind.noun, name);
    const event = await recordEvent(tx, ctx, row.id, { type: 'deletion', status: 'DELETED', verb: 'Deleted' });
    const resource = kind.fromRow(ctx, workspace, row);
    return {
      id: row.id,
      position: { key: row.key, id: row.id },
      resource: { ...resource, events: [...(resource.events ?? []), event] },
      workspace,
    };
  });
}
