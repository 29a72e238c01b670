// Loads what a credential gives access to, in one statement, because every uncached request waits for it.
import { z } from 'zod';
import { Prisma } from '../database/client/client.js';
import type { Transaction } from '../database/open.js';
import { roles } from './caller.js';
import type { Caller, AccessibleAccount, AccessibleWorkspace } from './caller.js';

/** The owner of a stored credential, and what it is confined to. */
export interface StoredCredential {
  principalId: string;
  accountId: string;
  workspaceId: string | null;
}

/** The identity provider that a user signed in with; null for a password. */
export interface SignInWith {
  provider: string | null;
}

export type CallerAccess = Pick<
  Caller,
  'principal' | 'accounts' | 'confinedTo' | 'workspaces' | 'addWorkspace' | 'forget'
>;

/**
 * Loads the account of a credential and its accessible workspaces: those the owner is a member of, all of them for an
 * admin or viewer of the account, or only the one that the credential is confined to. Undefined when the owner is
 * disabled or no longer a member of the account.
 *
 * @param signIn for a credential that follows from a sign-in. An account may require one identity provider for these.
 */
export async function loadAccess(
  db: Transaction,
  credential: StoredCredential,
  signIn?: SignInWith,
): Promise<CallerAccess | undefined> {
  const { principalId, accountId, workspaceId } = credential;
  const [row] = await db.$queryRaw<{ access: string }[]>`
    SELECT (${accessSql(
      Prisma.sql`${principalId}::text::uuid`,
      Prisma.sql`${accountId}::text::uuid`,
      Prisma.sql`${workspaceId}::text::uuid`,
      signIn && Prisma.sql`${signIn.provider}::text`,
    )})::text AS "access"`;
  return accessFromRow(accessRow.nullable().parse(JSON.parse(row?.access ?? 'null')));
}

/**
 * SQL that returns the same as loadAccess() as one JSON value, or null. Takes SQL for three ids.
 *
 * @param provider SQL of the identity provider of the sign-in; undefined for a credential without a sign-in.
 */
export function accessSql(
  principalId: Prisma.Sql,
  accountId: Prisma.Sql,
  workspaceId: Prisma.Sql,
  provider?: Prisma.Sql,
): Prisma.Sql {
  const isEntitled =
    provider === undefined
      ? Prisma.empty
      : Prisma.sql`AND (a."required_sign_in_provider" IS NULL OR a."required_sign_in_provider" = ${provider})`;
  return Prisma.sql`
    SELECT json_build_object(
      'principal', json_build_object('id', p."id", 'kind', p."kind", 'name', p."name", 'displayName', p."display_name"),
      'account', json_build_object('id', a."id", 'version', a."version", 'name', a."name", 'displayName', a."display_name", 'plan', a."plan",
        'requiredSignInProvider', a."required_sign_in_provider", 'role', am."role", 'createdAt', a."created_at", 'updatedAt', a."updated_at"),
      'confinedTo', ${workspaceId},
      'workspaces', (
        SELECT coalesce(json_agg(json_build_object('id', w."id", 'version', w."version", 'name', w."name", 'displayName', w."display_name",
          'role', CASE WHEN am."role" = 'admin' THEN 'admin' ELSE coalesce(wm."role", am."role") END,
          'createdAt', w."created_at", 'updatedAt', w."updated_at") ORDER BY w."name"), '[]')
        FROM "workspace" w
        LEFT JOIN "workspace_member" wm ON wm."workspace_id" = w."id" AND wm."principal_id" = p."id"
        WHERE w."account_id" = a."id" AND w."id" = coalesce(${workspaceId}, w."id")
          AND (am."role" IN ('admin', 'viewer') OR wm."role" IS NOT NULL)))
    FROM "principal" p
    JOIN "account_member" am ON am."principal_id" = p."id"
    JOIN "account" a ON a."id" = am."account_id"
    WHERE p."id" = ${principalId} AND a."id" = ${accountId} AND p."disabled_at" IS NULL ${isEntitled}`;
}

const role = z.enum(roles);
const named = {
  id: z.string(),
  name: z.string(),
  displayName: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  role,
};

/** The value that `accessSql` selects. */
export const accessRow = z.object({
  principal: z.object({
    id: z.string(),
    kind: z.enum(['user', 'service_account']),
    name: z.string(),
    displayName: z.string().nullable(),
  }),
  account: z.object({ ...named, version: z.int(), plan: z.string(), requiredSignInProvider: z.string().nullable() }),
  confinedTo: z.string().nullable(),
  workspaces: z.array(z.object({ ...named, version: z.int() })),
});

export function accessFromRow(row: z.output<typeof accessRow> | null): CallerAccess | undefined {
  if (row === null) return undefined;
  const { principal, account, confinedTo, workspaces } = row;
  const accessible: AccessibleAccount = { ...account, ...shared(account) };
  const byName = new Map(
    workspaces.map((workspace): [string, AccessibleWorkspace] => [
      workspace.name,
      { ...workspace, ...shared(workspace), account: accessible },
    ]),
  );
  return {
    principal: { ...principal, displayName: principal.displayName ?? undefined },
    accounts: [accessible],
    confinedTo: confinedTo ?? undefined,
    workspaces: byName,
    addWorkspace: (workspace) => byName.set(workspace.name, workspace),
    forget: () => {},
  };
}

function shared(row: { displayName: string | null; createdAt: string; updatedAt: string }): {
  displayName: string | undefined;
  createdAt: Date;
  updatedAt: Date;
} {
  const { displayName, createdAt, updatedAt } = row;
  return {
    displayName: displayName ?? undefined,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}
