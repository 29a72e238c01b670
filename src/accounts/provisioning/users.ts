// The users that an identity provider provisions in an account, as the provider sees them.
import type { RequestContext } from '../../auth/context.js';
import { Prisma } from '../../database/client/client.js';
import { findJson, readJson } from '../../database/read-json.js';
import type { Statements } from '../../database/transaction.js';
import { unknownId } from '../../errors.js';
import { isResourceId } from '../../schema/resource.js';
import { authorizeDirectory } from './directory.js';
import { checkFilter } from './filter.js';
import type { Filter, FilterAttributes, NamedAttributes } from './filter.js';
import { filterSql } from './filter-sql.js';

/** The attributes of RFC 7643, section 4.1, that are stored besides those with columns of their own. */
export interface PersonAttributes {
  displayName?: string | undefined;
  name?:
    { formatted?: string | undefined; familyName?: string | undefined; givenName?: string | undefined } | undefined;
  emails?: { value: string; type?: string | undefined; primary?: boolean | undefined }[] | undefined;
}

/** What a provider writes. */
export interface UserAttributes extends PersonAttributes {
  userName: string;
  externalId?: string | undefined;
  active: boolean;
}

export interface ProvisionedUser extends UserAttributes {
  /** The id of the principal. */
  id: string;
  version: number;
  /** What the provider says; `active` is false also for a user whom the operator has disabled. */
  isActive: boolean;
  /** Whether the operator has disabled the user. Then the user is not active, whatever the provider says. */
  isDisabled: boolean;
  createdAt: Date;
  updatedAt: Date;
  groups: { id: string; displayName: string }[];
}

/** A page by position (RFC 7644, section 3.4.2.4). */
export interface DirectoryPage {
  filter: Filter | undefined;
  /** Starts at 0. */
  offset: number;
  count: number;
}

export interface DirectoryList<Item> {
  total: number;
  items: Item[];
}

const isDisabledSql = Prisma.sql`(p."disabled_at" IS NOT NULL AND p."disabled_at" IS DISTINCT FROM u."deactivated_at")`;

const text = (sql: Prisma.Sql) => ({ type: 'text', sql }) as const;

/** What filters can name in an email address, in lists and in the paths of PATCH. */
export const emailAttributes: NamedAttributes = {
  value: text(Prisma.sql`(e."json" ->> 'value')`),
  type: text(Prisma.sql`(e."json" ->> 'type')`),
  primary: { type: 'boolean', sql: Prisma.sql`((e."json" ->> 'primary')::boolean)` },
};

const filterAttributes: FilterAttributes = {
  single: {
    id: { type: 'exact', sql: Prisma.sql`u."principal_id"::text` },
    externalid: { type: 'exact', sql: Prisma.sql`u."external_id"` },
    username: { type: 'name', sql: Prisma.sql`u."user_name"` },
    displayname: text(Prisma.sql`(u."attributes" ->> 'displayName')`),
    name: { type: 'complex', sql: Prisma.sql`(u."attributes" -> 'name')` },
    'name.formatted': text(Prisma.sql`(u."attributes" -> 'name' ->> 'formatted')`),
    'name.familyname': text(Prisma.sql`(u."attributes" -> 'name' ->> 'familyName')`),
    'name.givenname': text(Prisma.sql`(u."attributes" -> 'name' ->> 'givenName')`),
    active: { type: 'boolean', sql: Prisma.sql`(u."deactivated_at" IS NULL AND NOT ${isDisabledSql})` },
    'meta.resourcetype': { type: 'exact', sql: Prisma.sql`'User'` },
    'meta.created': { type: 'time', sql: Prisma.sql`u."created_at"` },
    'meta.lastmodified': { type: 'time', sql: Prisma.sql`u."updated_at"` },
  },
  several: {
    emails: {
      from: Prisma.sql`FROM json_array_elements(u."attributes" -> 'emails') AS e("json") WHERE true`,
      attributes: emailAttributes,
    },
    groups: {
      from: Prisma.sql`
        FROM "provisioned_group_member" AS m JOIN "provisioned_group" AS g ON g."id" = m."group_id"
        WHERE m."account_id" = u."account_id" AND m."principal_id" = u."principal_id"`,
      attributes: {
        value: { type: 'exact', sql: Prisma.sql`g."id"::text` },
        display: text(Prisma.sql`g."display_name"`),
      },
    },
  },
};

const fromUsers = Prisma.sql`
  FROM "provisioned_user" AS u JOIN "principal" AS p ON p."id" = u."principal_id"`;

const userJson = Prisma.sql`
  json_build_object('id', u."principal_id", 'version', u."version", 'userName', u."user_name", 'externalId', u."external_id",
    'attributes', u."attributes", 'isActive', u."deactivated_at" IS NULL, 'isDisabled', ${isDisabledSql},
    'createdAt', u."created_at", 'updatedAt', u."updated_at",
    'groups', (
      SELECT coalesce(json_agg(json_build_object('id', g."id", 'displayName', g."display_name") ORDER BY g."display_name"), '[]')
      FROM "provisioned_group_member" AS m JOIN "provisioned_group" AS g ON g."id" = m."group_id"
      WHERE m."account_id" = u."account_id" AND m."principal_id" = u."principal_id"))`;

interface UserRow {
  id: string;
  version: number;
  userName: string;
  externalId: string | null;
  attributes: PersonAttributes;
  isActive: boolean;
  isDisabled: boolean;
  createdAt: string;
  updatedAt: string;
  groups: { id: string; displayName: string }[];
}

function userFromRow({ attributes, externalId, createdAt, updatedAt, ...row }: UserRow): ProvisionedUser {
  return {
    ...row,
    ...attributes,
    externalId: externalId ?? undefined,
    active: row.isActive && !row.isDisabled,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

/**
 * The provisioned users of the caller's account, oldest first.
 *
 * @throws 400 for the filter; 403 like authorizeDirectory().
 */
export async function listProvisionedUsers(
  ctx: RequestContext,
  { filter, offset, count }: DirectoryPage,
): Promise<DirectoryList<ProvisionedUser>> {
  const { within } = authorizeDirectory(ctx);
  const matches =
    filter === undefined ? Prisma.empty : Prisma.sql`AND ${filterSql(checkFilter(filter, filterAttributes))}`;
  const where = Prisma.sql`WHERE u."account_id" = ${within.account.id}::uuid ${matches}`;
  const { total, items } = await readJson<DirectoryList<UserRow>>(
    within.db,
    Prisma.sql`
      SELECT json_build_object('total', (SELECT count(*) ${fromUsers} ${where}), 'items', (
        SELECT coalesce(json_agg(page."user"), '[]') FROM (
          SELECT ${userJson} AS "user" ${fromUsers} ${where}
          ORDER BY u."created_at", u."principal_id" OFFSET ${offset}::bigint LIMIT ${count}::int) AS page))::text`,
  );
  return { total, items: items.map(userFromRow) };
}

/** A provisioned user of the caller's account. @throws 403 like authorizeDirectory(); 404 */
export async function getProvisionedUser(ctx: RequestContext, id: string): Promise<ProvisionedUser> {
  const { within } = authorizeDirectory(ctx);
  return readProvisionedUser(within.db, within.account.id, id);
}

/** @throws 404 also for a user of another account. */
export async function readProvisionedUser(db: Statements, accountId: string, id: string): Promise<ProvisionedUser> {
  if (!isResourceId(id)) throw unknownId('user');
  const row = await findJson<UserRow>(
    db,
    Prisma.sql`
      SELECT ${userJson}::text ${fromUsers}
      WHERE u."account_id" = ${accountId}::uuid AND u."principal_id" = ${id}::uuid`,
  );
  if (row === undefined) throw unknownId('user');
  return userFromRow(row);
}
