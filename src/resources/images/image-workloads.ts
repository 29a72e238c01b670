// Links between images and their workloads. The image of a workload is a reference that can name any registry. It links
// to the image of the same workspace and kind with the last part of its name, without tag and digest (decision 143).
import DataLoader from 'dataloader';
import { authorizeScope, authorizeWorkspace } from '../../auth/authorize.js';
import { perRequest } from '../../auth/context.js';
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import type { PartialResource, Resource } from '../../store/read/resource.js';
import type { ResourceKind } from '../../store/read/resource-kind.js';
import type { ListInput, ListPage } from '../../store/read/list-input.js';
import { loadByQuery } from '../../database/load-by-query.js';
import { rowsStatement } from '../../store/read/page-statement.js';
import { queryCursors } from '../../pagination/cursor.js';
import { pageFromRows } from '../../pagination/page.js';
import type { Position, Slice } from '../../pagination/page.js';
import type { AgentRow } from '../agents/agent-row.js';
import { agentKind } from '../agents/agent-row.js';
import type { JobRow } from '../jobs/job.js';
import { jobKind } from '../jobs/job.js';
import type { SandboxRow } from '../sandboxes/sandbox.js';
import { sandboxKind } from '../sandboxes/sandbox.js';
import { findResources, getResource } from '../resource-reads.js';
import { imageKindsByType } from './image.js';
import type { ImageResourceType, ImageRow } from './image.js';

export type ImageWorkload = Resource<AgentRow> | Resource<SandboxRow> | Resource<JobRow>;

/** The workload kinds of each resource type; functions have none. */
const workloads = {
  agents: { table: 'agent', scope: 'agents:get', find: finderOf(agentKind) },
  sandboxes: { table: 'sandbox', scope: 'sandboxes:get', find: finderOf(sandboxKind) },
  jobs: { table: 'job', scope: 'jobs:get', find: finderOf(jobKind) },
} as const;

function finderOf<Row extends object>(kind: ResourceKind<Row>) {
  return (ctx: RequestContext, ids: readonly string[]) => findResources(ctx, kind, ids);
}

export type WorkloadType = keyof typeof workloads;

const isWorkloadType = (type: ImageResourceType): type is WorkloadType => type in workloads;

export type ImageWorkloadsInput = Pick<ListInput, 'size' | 'direction' | 'cursor' | 'fields' | 'wanted'>;

/**
 * One page of the workloads of an image in its workspace, by name.
 *
 * @throws 400 for an invalid cursor; 403 without the scope that reads one of these kinds.
 */
export async function listImageWorkloads(
  ctx: RequestContext,
  image: PartialResource<ImageRow>,
  input: ImageWorkloadsInput,
): Promise<ListPage<ImageWorkload>> {
  const { name, resourceType } = await image.read(['name', 'resourceType']);
  const { size, direction, cursor, fields, wanted } = input;
  const cursors = queryCursors(ctx.encryption, ctx.now, { list: 'workloads', image: image.id });
  const from = cursor == null ? undefined : cursors.decode(fields.cursor, cursor);
  const slice: Slice = { size, direction, from };
  if (!isWorkloadType(resourceType))
    return { ...pageFromRows<ImageWorkload>(slice, []), cursors, total: 0, filtered: 0 };
  const { scope, find } = workloads[resourceType];
  authorizeWorkspace(ctx, scope, image.workspace.name);
  const key = { workspaceId: image.workspace.id, resourceType, name };
  const limit = size + (wanted?.hasMore === false ? 0 : 1);
  const [rows, total] = await Promise.all([
    wanted?.items === false ? [] : pages(ctx).load({ ...key, slice, limit }),
    wanted?.total === false && !wanted.filtered ? 0 : counts(ctx).load(key),
  ]);
  const page = pageFromRows(
    slice,
    rows.map(({ id, name: key }) => ({ position: { key, id } })),
  );
  const found: (ImageWorkload | null)[] = await find(
    ctx,
    page.items.map(({ position }) => position.id),
  );
  const items = page.items.flatMap(({ position }, index) => placed(found[index], position));
  return { ...page, items, lastRead: page.items.at(-1)?.position, cursors, total, filtered: total };
}

/** The workloads in the order of their names, without those deleted meanwhile. */
function placed(found: ImageWorkload | null | undefined, position: Position): ImageWorkload[] {
  return found == null ? [] : [Object.assign(found, { position })];
}

const reference = /^(?:.*\/)?([^/:@]+)(?::[^/@]*)?(?:@[^/]*)?$/s;

/** The image name of a reference, as computed by the database function image_name. */
export function imageNameOf(text: string): string | undefined {
  return reference.exec(text)?.[1];
}

/** The image that something runs. @throws 403 without `admin`; 404 where its workspace has no image of the name. */
export async function getWorkloadImage(
  ctx: RequestContext,
  { resourceType, workspace, image }: { resourceType: WorkloadType; workspace: string; image: string },
  columns: ReadonlySet<string>,
): Promise<PartialResource<ImageRow>> {
  return getResource(ctx, imageKindsByType[resourceType], { workspace, name: imageNameOf(image) ?? '', columns });
}

interface ImageKey {
  workspaceId: string;
  resourceType: WorkloadType;
  name: string;
}

interface PageKey extends ImageKey {
  slice: Slice;
  limit: number;
}

interface WorkloadRow {
  id: string;
  name: string;
}

const pages = perRequest(
  (ctx) =>
    new DataLoader<PageKey, WorkloadRow[]>(
      (keys) =>
        loadByQuery(
          keys,
          ({ slice, limit }) => JSON.stringify([slice, limit]),
          (alike) => readPages(ctx, alike),
        ),
      { cache: false },
    ),
);

const counts = perRequest(
  (ctx) =>
    new DataLoader<ImageKey, number, string>((keys) => readCounts(ctx, keys), {
      cacheKeyFn: ({ workspaceId, resourceType, name }) => JSON.stringify([workspaceId, resourceType, name]),
    }),
);

async function readPages(ctx: RequestContext, keys: PageKey[]): Promise<WorkloadRow[][]> {
  const [first] = keys;
  if (first === undefined) return [];
  const { slice, limit } = first;
  const isForward = slice.direction === 'forward';
  const order = isForward ? Prisma.sql`ASC` : Prisma.sql`DESC`;
  const past = isForward ? Prisma.sql`>` : Prisma.sql`<`;
  const behind = slice.from === undefined ? Prisma.empty : Prisma.sql`AND r."name" ${past} ${slice.from.key}`;
  const rows = workloadsOfImagesSql(
    keys,
    (running) => Prisma.sql`SELECT r."id", r."name" ${running} ${behind} ORDER BY r."name" ${order} LIMIT ${limit}`,
  );
  const statement = rowsStatement(Prisma.sql`SELECT * FROM (${rows}) AS w ORDER BY "ordinal", "name" ${order}`);
  const read = await readJson<(WorkloadRow & { ordinal: number })[]>(authorizeScope(ctx).reads, statement);
  const found = keys.map((): WorkloadRow[] => []);
  for (const { ordinal, ...row } of read) found[ordinal - 1]?.push(row);
  return found;
}

async function readCounts(ctx: RequestContext, keys: readonly ImageKey[]): Promise<number[]> {
  const rows = workloadsOfImagesSql(keys, (running) => Prisma.sql`SELECT count(*) AS "count" ${running}`);
  const statement = rowsStatement(Prisma.sql`SELECT "ordinal", sum("count") AS "count" FROM (${rows}) AS w GROUP BY 1`);
  const read = await readJson<{ ordinal: number; count: number }[]>(authorizeScope(ctx).reads, statement);
  const byOrdinal = new Map(read.map(({ ordinal, count }) => [ordinal, count]));
  return keys.map((_, index) => byOrdinal.get(index + 1) ?? 0);
}

/** SQL for the workloads of each image, with its `ordinal` from 1, for the resource types among the images. */
function workloadsOfImagesSql(keys: readonly ImageKey[], select: (running: Prisma.Sql) => Prisma.Sql): Prisma.Sql {
  const workspaceIds = keys.map(({ workspaceId }) => workspaceId);
  const types = keys.map(({ resourceType }) => resourceType);
  const names = keys.map(({ name }) => name);
  const each = [...new Set(types)].map(
    (type) => Prisma.sql`
      SELECT image."ordinal", workload.* FROM image CROSS JOIN LATERAL (
        ${select(Prisma.sql`
          FROM ${Prisma.raw(`"${workloads[type].table}"`)} AS r
          WHERE r."workspace_id" = image."workspace_id" AND r."spec"#>>'{runtime,image}' IS NOT NULL
            AND image_name(r."spec"#>>'{runtime,image}') = image."name"`)}) AS workload
      WHERE image."type" = ${type}`,
  );
  return Prisma.sql`
    WITH image AS (
      SELECT * FROM unnest(${workspaceIds}::uuid[], ${types}::text[], ${names}::text[])
      WITH ORDINALITY AS i("workspace_id", "type", "name", "ordinal"))
    ${Prisma.join(each, ' UNION ALL ')}`;
}
