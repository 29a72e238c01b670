// Ends everything that a user or service account can do: in the caller's account, or, for admins of the platform, in all
// of them.
import { authorizePlatform } from '../auth/authorize.js';
import type { Authorized } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { endAuthorizations } from '../auth/grants/authorization.js';
import { lockEndingPrincipal } from '../auth/lock-principal.js';
import { endMembership, isLastAdmin, lockMembers } from '../auth/membership.js';
import { canonicalUserName } from '../auth/user-name.js';
import { memberChange } from '../changes/member-change.js';
import { recordChanges } from '../changes/record-changes.js';
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { readJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { invalidParameter, notFound } from '../errors.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { DryRun } from '../store/write/change-input.js';
import { lockMember, requireOtherAdmin } from './member-changes.js';
import { authorizeManaging } from './members.js';
import { recordEverywhere } from './record-in-accounts.js';
import { timeOfDisabling } from './user-changes.js';

export interface EndAccessInput extends DryRun {
  /** The email address of a user, or the name of a service account. */
  name: string;
  /** Whether to disable the principal and end its access to all accounts. */
  everywhere?: boolean | null | undefined;
  /** Whether to revoke the active API keys that it created for others, and their descendants. */
  revokeCreatedKeys?: boolean | null | undefined;
}

/** The numbers of memberships and credentials that ended. */
export interface EndedCounts {
  memberships: number;
  apiKeys: number;
  createdApiKeys: number;
  oauthClients: number;
  authorizations: number;
  accessTokens: number;
  invitations: number;
  sessions: number;
}

export interface EndedAccess extends EndedCounts {
  name: string;
  isDisabled: boolean;
  /** The accounts that a disabled principal stays a member of, because it is their last admin. */
  keptAccounts: string[];
  /** The account whose access ended; null for all. */
  accountId: string | null;
}

/**
 * Ends the access of a member to the caller's account with its workspaces: the memberships, API keys, OAuth clients that
 * act for the member, authorizations of programs, tokens, and invitations to and from the member. With `everywhere`, that of
 * all accounts and the browser sessions, and disables the principal. Credentials stop working within a second.
 *
 * @throws 400 for the caller's own name; 403 unless the caller is an admin of the account, or with `everywhere` of the
 * platform; 404; 409 `last_admin` for the last admin of the account.
 */
export async function endAccess(ctx: RequestContext, input: EndAccessInput): Promise<EndedAccess> {
  const name = canonicalUserName(input.name);
  if (name !== undefined && name === ctx.caller.principal.name && ctx.caller.isOperator !== true) {
    throw invalidParameter('name', 'must not be your own name. To leave the account, use leaveAccount');
  }
  return input.everywhere === true ? endEverywhere(ctx, name, input) : endInAccount(ctx, input);
}

async function endInAccount(ctx: RequestContext, input: EndAccessInput): Promise<EndedAccess> {
  const { authorized, tenant, named } = authorizeManaging(ctx, 'workspaces:remove', undefined);
  const { account } = authorized;
  return runInTransaction(authorized, input.validateOnly, async (within) => {
    const { db } = within;
    const { id, name, role } = await lockMember(within, tenant, named, input.name);
    if (role === 'admin') await requireOtherAdmin(within, tenant, id);
    const counts = await countAccess(db, id, name, { accountId: account.id, kept: [] }, ctx.now());
    await endMembership(await db.$prisma(), tenant, id, ctx.now());
    const createdApiKeys = input.revokeCreatedKeys === true ? await revokeCreated(db, name, account.id, ctx.now()) : 0;
    const ended = { ...counts, createdApiKeys, sessions: 0 };
    const change = memberChange({ id, name }, named, role, undefined);
    await recordChanges(within, [{ ...change, event: eventOf(change.verb, change.event.message, ended) }]);
    return {
      name,
      ...ended,
      isDisabled: false,
      keptAccounts: [],
      accountId: account.id,
    };
  });
}

async function endEverywhere(
  ctx: RequestContext,
  name: string | undefined,
  input: EndAccessInput,
): Promise<EndedAccess> {
  const authorized = authorizePlatform(ctx);
  const now = ctx.now();
  return runInTransaction<Authorized, EndedAccess>(authorized, input.validateOnly, async (within) => {
    const { db } = within;
    const prisma = await db.$prisma();
    const found = name === undefined ? null : await prisma.principal.findUnique({ where: { name } });
    if (found === null) throw notFound('user or service account', input.name);
    const { id } = found;
    // In the order of the ids, like every transaction that locks several accounts.
    const accounts = await prisma.account.findMany({
      where: { members: { some: { principalId: id } } },
      select: { id: true, name: true },
      orderBy: { id: 'asc' },
    });
    for (const account of accounts) await lockMembers(prisma, account.id);
    await lockEndingPrincipal(prisma, id);
    // It may have changed during the wait for the lock.
    const principal = await prisma.principal.findUniqueOrThrow({ where: { id } });
    const kept: typeof accounts = [];
    for (const account of accounts) if (await isLastAdmin(prisma, account.id, id)) kept.push(account);
    const counts = await countAccess(db, id, principal.name, { accountId: null, kept }, now);
    const disabledAt = await timeOfDisabling(prisma, principal, now);
    await prisma.principal.update({ where: { id }, data: { disabledAt } });
    await endCredentials(prisma, id, principal.name, now);
    for (const account of accounts) {
      if (!kept.includes(account)) await endMembership(prisma, { accountId: account.id, workspaceId: null }, id, now);
    }
    const createdApiKeys = input.revokeCreatedKeys === true ? await revokeCreated(db, principal.name, null, now) : 0;
    const ended = { ...counts, createdApiKeys };
    const message = 'Disabled, and ended all access';
    const event = eventOf('updated', message, ended);
    const change: NewChange = { kind: 'USER', verb: 'updated', resourceId: id, name: principal.name, event };
    await recordEverywhere(
      within,
      accounts.map((account) => account.id),
      change,
    );
    return {
      name: principal.name,
      ...ended,
      isDisabled: true,
      keptAccounts: kept.map((account) => account.name),
      accountId: null,
    };
  });
}

/** Ends the credentials of a principal in all accounts, also those of accounts that it is no longer a member of. */
async function endCredentials(
  db: Prisma.TransactionClient,
  principalId: string,
  name: string,
  now: Date,
): Promise<void> {
  const active = { principalId, revokedAt: null };
  await db.signInSession.deleteMany({ where: { principalId } });
  await endAuthorizations(db, { principalId }, now);
  await db.apiKey.updateMany({ where: active, data: { revokedAt: now } });
  await db.accessToken.updateMany({ where: active, data: { revokedAt: now } });
  await db.oauthConsent.deleteMany({ where: { principalId } });
  const actsAlone = { grantTypes: { equals: ['client_credentials' as const] } };
  await db.oauthClient.updateMany({ where: { ...active, ...actsAlone }, data: { revokedAt: now } });
  await db.invitation.updateMany({
    where: { status: 'pending', OR: [{ name }, { invitedById: principalId }] },
    data: { status: 'revoked', decidedAt: now },
  });
}

/**
 * Counts the memberships and active credentials of a principal, in an account, or in all accounts with null.
 *
 * @param of `kept`: the accounts in which the memberships do not end.
 */
async function countAccess(
  db: Statements,
  principalId: string,
  name: string,
  { accountId, kept }: { accountId: string | null; kept: readonly { id: string }[] },
  now: Date,
): Promise<Omit<EndedCounts, 'createdApiKeys'>> {
  const mine = Prisma.sql`
    "principal_id" = ${principalId}::uuid AND (${accountId}::uuid IS NULL OR "account_id" = ${accountId}::uuid)`;
  const endedSql = Prisma.sql`${mine} AND "account_id" <> ALL(${kept.map(({ id }) => id)}::uuid[])`;
  return readJson(
    db,
    Prisma.sql`
      SELECT json_build_object(
        'memberships', (SELECT count(*) FROM "account_member" WHERE ${endedSql}) + (
          SELECT count(*) FROM "workspace_member" AS m JOIN "workspace" AS w ON w."id" = m."workspace_id" WHERE ${endedSql}),
        'apiKeys', (SELECT count(*) FROM "api_key" WHERE ${mine} AND "revoked_at" IS NULL AND coalesce("expires_at", 'infinity') > ${now}::timestamptz),
        'oauthClients', (SELECT count(*) FROM "oauth_client" WHERE ${mine} AND "revoked_at" IS NULL
          AND "grant_types" = ARRAY['client_credentials']::oauth_grant_type[]),
        'authorizations', (SELECT count(*) FROM "oauth_authorization" WHERE ${mine} AND "ended_at" IS NULL),
        'accessTokens', (SELECT count(*) FROM "access_token" WHERE ${mine} AND "revoked_at" IS NULL AND "expires_at" > ${now}::timestamptz),
        'invitations', (SELECT count(*) FROM "invitation" AS i WHERE i."status" = 'pending' AND i."expires_at" > ${now}::timestamptz
          AND (i."invited_by_id" = ${principalId}::uuid OR i."name" = ${name})
          AND (${accountId}::uuid IS NULL OR i."account_id" = ${accountId}::uuid)),
        'sessions', (SELECT count(*) FROM "sign_in_session" WHERE "principal_id" = ${principalId}::uuid AND "expires_at" > ${now}::timestamptz))::text`,
  );
}

/** Revokes the active keys of others that a principal created, and all keys that were created with them. */
async function revokeCreated(...of: Parameters<typeof revokeActiveCreated>): Promise<number> {
  let revoked = 0;
  // One of them may create a key in a concurrent transaction. It becomes visible after waiting for the lock of its creator, so
  // repeat until none is found.
  for (let round = await revokeActiveCreated(...of); round > 0; round = await revokeActiveCreated(...of))
    revoked += round;
  return revoked;
}

async function revokeActiveCreated(db: Statements, name: string, accountId: string | null, now: Date): Promise<number> {
  return db.$executeRaw(Prisma.sql`
    WITH RECURSIVE "created" AS (
      SELECT k."id" FROM "api_key" AS k
      WHERE k."created_by" = ${name} AND (${accountId}::uuid IS NULL OR k."account_id" = ${accountId}::uuid)
      UNION SELECT k."id" FROM "api_key" AS k JOIN "created" AS c ON k."parent_id" = c."id")
    UPDATE "api_key" AS k SET "revoked_at" = t."now" FROM "created" AS c, (SELECT ${now}::timestamptz AS "now") AS t
    WHERE k."id" = c."id" AND k."revoked_at" IS NULL AND coalesce(k."expires_at", 'infinity') > t."now"`);
}

const words = [
  ['memberships', 'membership', 'memberships'],
  ['apiKeys', 'API key', 'API keys'],
  ['createdApiKeys', 'API key of others', 'API keys of others'],
  ['oauthClients', 'OAuth client', 'OAuth clients'],
  ['authorizations', 'authorization', 'authorizations'],
  ['accessTokens', 'access token', 'access tokens'],
  ['invitations', 'invitation', 'invitations'],
  ['sessions', 'session', 'sessions'],
] as const satisfies readonly (readonly [count: keyof EndedCounts, one: string, several: string])[];

function eventOf(verb: NewChange['verb'], message: string, ended: EndedCounts): NewChange['event'] {
  const parts = words.flatMap(([key, one, several]) => {
    const count = ended[key];
    return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`];
  });
  return { type: verb, status: verb, message: parts.length === 0 ? message : `${message} (${parts.join(', ')})` };
}
