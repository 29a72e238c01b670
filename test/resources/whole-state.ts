// All accounts, resources and their change log in a database, to compare two states, and whether redundant data agrees.
import { Prisma } from '../../src/database/client/client.js';
import { kindsWith, resourceKindNames, resourceKinds } from '../../src/resource-kinds.js';
import type { Database } from '../../src/database/open.js';
import { readDifferences } from '../../src/quotas/usage-recount.js';

const resources = resourceKindNames.map((kind) => resourceKinds[kind].table);

/** The slots of counts depend on concurrent writers, so they are not included: `disagreements` reads them. */
const tables = [
  ...resources,
  'account',
  'account_member',
  'workspace',
  'workspace_member',
  'invitation',
  'api_key',
  'oauth_client',
  'oauth_consent',
  'sign_in_session',
  'webhook',
  'webhook_delivery',
  'principal',
  'executor',
  'assignment',
  'schedule',
  'group_role',
  'quota',
  'continent',
  'country',
  'region',
  'region_account',
  'budget',
  'billing_dimension',
  'billed_resource_type',
  'billing_price',
  'usage_event',
  'usage_correction',
  'change',
  'change_head',
  'idempotency_key',
];

const counted = kindsWith('isCounted').map((kind) => resourceKinds[kind].table);

export interface WholeState {
  /** How many rows each table has. */
  rows: Record<string, number>;
  /** Another one when any row came, changed or went; but for when a key was used last. */
  digest: string;
  /** Counts that are not those of the rows, and histories with gaps: none, whenever one looks. */
  disagreements: unknown[];
}

/** The physical position and transaction of a row: no two versions have both. */
const rowAsWritten = Prisma.sql`r.ctid::text || r.xmin::text`;
const keyAsWritten = Prisma.sql`r."id"::text || coalesce(r."revoked_at"::text, '')`;

export async function wholeState(db: Pick<Database, '$text'>): Promise<WholeState> {
  const contents = tables.map(
    (table) => Prisma.sql`
      SELECT ${table}::text AS "table", count(*) AS "rows",
        md5(coalesce(string_agg(t."row", ',' ORDER BY t."row"), '')) AS "digest"
      FROM (SELECT ${table === 'api_key' ? keyAsWritten : rowAsWritten} AS "row" FROM ${nameOf(table)} AS r) AS t`,
  );
  const counts = counted.map(
    (table) => Prisma.sql`
      SELECT ${table}::text AS "of", w."id" AS "place",
        (SELECT count(*) FROM ${nameOf(table)} AS r
          WHERE r."workspace_id" = w."id" AND ${statusOf(table)} = s."status") AS "are",
        (SELECT coalesce(sum(c."total"), 0) FROM "resource_count" AS c
          WHERE c."workspace_id" = w."id" AND c."resource" = ${table} AND c."status" = s."status") AS "said"
      FROM "workspace" AS w CROSS JOIN unnest(enum_range(NULL::"status")::text[] || ARRAY['']) AS s("status")`,
  );
  const histories = Prisma.sql`
    SELECT 'change' AS "of", h."account_id" AS "place", h."last" AS "said",
      (SELECT count(*) FROM "change" AS c WHERE c."account_id" = h."account_id"
        AND c."sequence" BETWEEN 1 AND h."last") AS "are"
    FROM "change_head" AS h`;
  const text = await db.$text(Prisma.sql`
    WITH "content" AS (${Prisma.join(contents, ' UNION ALL ')}),
    "agreement" AS (
      ${Prisma.join(counts, ' UNION ALL ')} UNION ALL SELECT "of", "place", "are", "said" FROM (${histories}) AS h)
    SELECT json_build_object(
      'rows', (SELECT json_object_agg("table", "rows") FROM "content"),
      'digest', (SELECT md5(string_agg("digest", '' ORDER BY "table")) FROM "content"),
      'disagreements', (SELECT coalesce(json_agg(a), '[]') FROM "agreement" AS a WHERE a."are" <> a."said"))::text`);
  const state: WholeState = JSON.parse(text);
  return { ...state, disagreements: [...state.disagreements, ...(await usesOfQuotas(db))] };
}

/** The uses of quotas that are not those of the resources. */
async function usesOfQuotas(db: Pick<Database, '$text'>): Promise<unknown[]> {
  const accountIds: string[] = JSON.parse(
    await db.$text(Prisma.sql`SELECT coalesce(json_agg(a."id"), '[]')::text FROM "account" AS a`),
  );
  const found: unknown[] = [];
  for (const accountId of accountIds) found.push(...(await readDifferences(db, accountId)));
  return found;
}

/** How many rows more of each table there are than before, where their number is another one. */
export function rowsMore(before: WholeState, after: WholeState): Record<string, number> {
  const differences = Object.entries(after.rows).map(([table, rows]) => [table, rows - (before.rows[table] ?? 0)]);
  return Object.fromEntries(differences.filter(([, difference]) => difference !== 0));
}

function nameOf(table: string): Prisma.Sql {
  return Prisma.raw(`"${table}"`);
}

/** The stored counts. */
function statusOf(table: string): Prisma.Sql {
  return table === 'image' ? Prisma.sql`''` : Prisma.sql`coalesce(r."status"::text, '')`;
}
