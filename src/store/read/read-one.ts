// Reads single resources by name or by id.
import type { Authorized, AuthorizedWorkspace } from '../../auth/authorize.js';
import { notFound } from '../../errors.js';
import { PartialResource, Resource } from './resource.js';
import { canBeName } from '../../schema/resource.js';
import { readNamed } from './read-rows.js';
import type { NameKey } from './list-definition.js';
import type { ResourceKind } from './resource-kind.js';

export interface NamedQuery {
  name: string;
  /** The columns to read; all by default. */
  columns?: ReadonlySet<string> | undefined;
  /** The parent of the resource; the workspace by default. */
  parentId?: string | undefined;
}

/** A resource by its name in a workspace, or in a resource there. @throws 404 `not_found` */
export async function readByName<Row extends object>(
  { ctx, db, workspace, isInTransaction }: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  { name, columns, parentId = workspace.id }: NamedQuery,
): Promise<PartialResource<Row>> {
  const key: NameKey = { parent: { workspaceId: workspace.id, id: parentId }, name, columns };
  const row = !canBeName(name)
    ? undefined
    : isInTransaction
      ? await readNamed(db, kind, [key]).then(([one]) => one)
      : await kind.named(ctx).load(key);
  if (row === undefined) throw notFound(kind.label, name);
  return new PartialResource<Row>(ctx, kind, workspace, row);
}

/** A complete resource by its name. @throws 404 `not_found` */
export async function readWholeByName<Row extends object>(
  { ctx, db, workspace }: AuthorizedWorkspace,
  kind: ResourceKind<Row>,
  { name, parentId = workspace.id }: Omit<NamedQuery, 'columns'>,
): Promise<Resource<Row>> {
  const key: NameKey = { parent: { workspaceId: workspace.id, id: parentId }, name, columns: undefined };
  const [row] = canBeName(name) ? await readNamed<Row, Row>(db, kind, [key]) : [];
  if (row === undefined) throw notFound(kind.label, name);
  return new Resource<Row>(ctx, kind, workspace, row);
}

/** Resources by id, in the order of the ids; null for resources that do not exist or that the caller cannot access. */
export async function readByIds<Row extends object>(
  { ctx }: Authorized,
  kind: ResourceKind<Row>,
  ids: readonly string[],
): Promise<(Resource<Row> | null)[]> {
  const workspaces = new Map(Array.from(ctx.caller.workspaces.values(), (each) => [each.id, each]));
  const rows = await Promise.all(ids.map((id) => kind.rows(ctx).load(id)));
  return rows.map((row) => {
    const workspace = workspaces.get(row?.workspaceId ?? '');
    return row === undefined || workspace === undefined ? null : new Resource<Row>(ctx, kind, workspace, row);
  });
}
