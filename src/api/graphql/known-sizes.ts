// The greatest possible lengths of lists, by the resources that exist. If an operation without page sizes is too expensive,
// its cost is computed again with these lengths before it is rejected. By default sizes alone, the dashboard among the example
// queries would cost 21,221,555, of 50,000 that are allowed.
import { authorizeScope } from '../../auth/authorize.js';
import { perRequest } from '../../auth/context.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import { pageSizeDefault } from '../../pagination/page.js';
import { kindsWith, resourceKinds } from '../../resource-kinds.js';

const kinds = kindsWith('isInOverview');

/** The lengths that are known, by the names of lists; none before they were read. */
const known = perRequest(() => new Map<string, number>());

/** The greatest possible length of a list; undefined if it is not known. */
export function knownSize(ctx: RequestContext, list: string): number | undefined {
  return known(ctx).get(list);
}

/** Assumes that all lists without a page size are empty: an operation that is too expensive even then is rejected. */
export function assumeShortest(ctx: RequestContext): void {
  for (const list of ['workspaces', 'accounts', ...kinds.map((kind) => resourceKinds[kind].list)])
    known(ctx).set(list, 0);
}

/** Forgets the lengths, also the assumed ones. */
export function forgetSizes(ctx: RequestContext): void {
  known(ctx).clear();
}

/** Counts the resources in all accessible workspaces, of the kinds that the credential can list. */
export async function readKnownSizes(ctx: RequestContext): Promise<void> {
  const { caller, reads } = authorizeScope(ctx);
  const sizes = known(ctx);
  sizes.clear();
  sizes.set('workspaces', caller.workspaces.size);
  sizes.set('accounts', caller.accounts.length);
  const ids = Array.from(caller.workspaces.values(), ({ id }) => id);
  const visible = kinds
    .map((kind) => resourceKinds[kind])
    .filter(({ scopes }) => caller.scopes.has('admin') || caller.scopes.has(scopes.list));
  if (visible.length === 0) return;
  const counts = visible.map((kind) => Prisma.sql`${kind.list}::text, (${sizeStatement(kind, ids)})`);
  const read = await readJson<Record<string, number>>(
    reads,
    Prisma.sql`SELECT json_build_object(${Prisma.join(counts)})::text`,
  );
  for (const [name, size] of Object.entries(read)) sizes.set(name, size);
}

/** Counts to the default page size only: a list without a page size returns no more. */
function sizeStatement({ table, isCounted }: { table: string; isCounted: boolean }, ids: string[]): Prisma.Sql {
  if (isCounted) {
    return Prisma.sql`
      SELECT coalesce(sum("total"), 0) FROM "resource_count"
      WHERE "resource" = ${table} AND "workspace_id" = ANY (${ids}::uuid[])`;
  }
  return Prisma.sql`
    SELECT count(*) FROM (
      SELECT FROM ${Prisma.raw(`"${table}"`)} WHERE "workspace_id" = ANY (${ids}::uuid[]) LIMIT ${pageSizeDefault}) AS c`;
}
