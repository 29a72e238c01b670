// The groups that an identity provider provisions in an account, as the provider sees them.
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import { findJson, readJson } from '../../database/read-json.js';
import type { Statements } from '../../database/transaction.js';
import { unknownId } from '../../errors.js';
import { isResourceId } from '../../schema/resource.js';
import { authorizeDirectory } from './directory.js';
import { checkFilter } from './filter.js';
import type { FilterAttributes } from './filter.js';
import { filterSql } from './filter-sql.js';
import type { DirectoryList, DirectoryPage } from './users.js';

export interface ProvisionedGroup {
  id: string;
  version: number;
  displayName: string;
  externalId?: string | undefined;
  createdAt: Date;
  updatedAt: Date;
  /** The ids of its users; undefined if they were not read. */
  members?: string[] | undefined;
}

const filterAttributes: FilterAttributes = {
  single: {
    id: { type: 'exact', sql: Prisma.sql`g."id"::text` },
    externalid: { type: 'exact', sql: Prisma.sql`g."external_id"` },
    displayname: { type: 'name', sql: Prisma.sql`g."display_name"` },
    'meta.resourcetype': { type: 'exact', sql: Prisma.sql`'Group'` },
    'meta.created': { type: 'time', sql: Prisma.sql`g."created_at"` },
    'meta.lastmodified': { type: 'time', sql: Prisma.sql`g."updated_at"` },
  },
  several: {
    members: {
      from: Prisma.sql`FROM "provisioned_group_member" AS m WHERE m."group_id" = g."id"`,
      attributes: { value: { type: 'exact', sql: Prisma.sql`m."principal_id"::text` } },
    },
  },
};

const membersSql = Prisma.sql`(
  SELECT coalesce(json_agg(m."principal_id" ORDER BY m."principal_id"), '[]')
  FROM "provisioned_group_member" AS m WHERE m."group_id" = g."id")`;

function groupJson(withMembers: boolean): Prisma.Sql {
  return Prisma.sql`
    json_build_object('id', g."id", 'version', g."version", 'displayName', g."display_name", 'externalId', g."external_id",
      'createdAt', g."created_at", 'updatedAt', g."updated_at",
      'members', ${withMembers ? membersSql : Prisma.sql`NULL::json`})`;
}

interface GroupRow {
  id: string;
  version: number;
  displayName: string;
  externalId: string | null;
  createdAt: string;
  updatedAt: string;
  members: string[] | null;
}

function groupFromRow({ externalId, createdAt, updatedAt, members, ...row }: GroupRow): ProvisionedGroup {
  return {
    ...row,
    externalId: externalId ?? undefined,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    members: members ?? undefined,
  };
}

/**
 * The provisioned groups of the caller's account, oldest first.
 *
 * @throws 400 for the filter; 403 like authorizeDirectory().
 */
export async function listProvisionedGroups(
  ctx: RequestContext,
  { filter, offset, count, withMembers }: DirectoryPage & { withMembers: boolean },
): Promise<DirectoryList<ProvisionedGroup>> {
  const { within } = authorizeDirectory(ctx);
  const matches =
    filter === undefined ? Prisma.empty : Prisma.sql`AND ${filterSql(checkFilter(filter, filterAttributes))}`;
  const from = Prisma.sql`FROM "provisioned_group" AS g WHERE g."account_id" = ${within.account.id}::uuid ${matches}`;
  const { total, items } = await readJson<DirectoryList<GroupRow>>(
    within.db,
    Prisma.sql`
      SELECT json_build_object('total', (SELECT count(*) ${from}), 'items', (
        SELECT coalesce(json_agg(page."group"), '[]') FROM (
          SELECT ${groupJson(withMembers)} AS "group" ${from}
          ORDER BY g."created_at", g."id" OFFSET ${offset}::bigint LIMIT ${count}::int) AS page))::text`,
  );
  return { total, items: items.map(groupFromRow) };
}

/** A provisioned group of the caller's account. @throws 403 like authorizeDirectory(); 404 */
export async function getProvisionedGroup(
  ctx: RequestContext,
  id: string,
  { withMembers }: { withMembers: boolean },
): Promise<ProvisionedGroup> {
  const { within } = authorizeDirectory(ctx);
  return readProvisionedGroup(within.db, within.account.id, id, withMembers);
}

/** @throws 404 also for a group of another account. */
export async function readProvisionedGroup(
  db: Statements,
  accountId: string,
  id: string,
  withMembers: boolean,
): Promise<ProvisionedGroup> {
  if (!isResourceId(id)) throw unknownId('group');
  const row = await findJson<GroupRow>(
    db,
    Prisma.sql`
      SELECT ${groupJson(withMembers)}::text FROM "provisioned_group" AS g
      WHERE g."account_id" = ${accountId}::uuid AND g."id" = ${id}::uuid`,
  );
  if (row === undefined) throw unknownId('group');
  return groupFromRow(row);
}
